/** What `.reload` prints for an option it does not know (real engine). */
export const RELOAD_USAGE = `Usage: .reload [flags] [module [= Address [, Size] ]]
  Flags:   /d  Use the debugger's module list
               Default for live user-mode sessions
           /f  Force immediate symbol load instead of deferred
           /i  Force symbol load by ignoring mismatches in the pdb signature
               (implies /f)
           /l  Just list the modules.  Kernel output same as !drivers
           /n  Do not load from user-mode list in kernel sessions
           /o  Overwrite symbol server cache files
           /s  Use the system's module list
               Default for dump and kernel sessions
           /u  Unload modules, no reload
         /unl  Load from unloaded module info
        /user  Load only user-mode modules in kernel sessions
           /v  Verbose
           /w  No wildcard matching on module name

Use ".hh .reload" or open debugger.chm in the debuggers directory to get
detailed documentation on this command.
`;
