/*
 * kd-host: Microsoft's debugger engine (dbgeng.dll) behind the pipes of a kd.exe.
 *
 * kd.exe itself is a thin program around the engine and is not redistributable; this one takes its place in tests. The
 * engine's texts are Microsoft's own. What stands around them follows kd-behaviour.md: the prompt without a newline, no
 * echo, commands read only at a prompt, Ctrl+C, Ctrl+Break and the control keys 02 and 06 at once, an empty line that
 * repeats the last command, lines of 4096 characters, the end of the input, exit codes.
 *
 * What kd.exe does and this program cannot show:
 *  - texts of kd.exe itself: complaints about its command line, -?, -version (here: the engine's version), the answers
 *    to the control keys 01, 04, 0B, 12, 16, 17, 1C. `kd: Reading initial command '…'` is printed as documented.
 *  - lines with non-ASCII text that lose their end on multibyte code pages (kd-behaviour.md §4.5): a bug of kd.exe's
 *    own console output.
 *  - kd.exe without a parent that spins on a closed stdin (§4.3); ntsd.ini, -cf and other options.
 *  - texts of kd.exe about a server that cannot be reached or that has gone; here: the HRESULT. Who sent a command is
 *    shown as the documents say, in the words of the engine (OutputIdentity).
 *  - extension DLLs (!process, !analyze, …): not in the engine's package.
 *  - the line after the Ctrl+F byte at an idle prompt: here it is a break that has no effect.
 *  - Windows: under Wine 8 there is no Ctrl+Break and only the low 8 bits of an exit code reach a Unix parent.
 */
#include "engine.h"
#include "options.h"
#include "session.h"
#include "wine-fixes.h"

#include <stdio.h>

/* An option this program does not know would change what kd.exe does: better no session than another one. */
static const int BAD_OPTION = 87;

int main(int count, char **arguments) {
  Options options;
  std::string unknown;
  if (!parse_options(count, arguments, options, unknown)) {
    fprintf(stderr, "kd-host: option '%s' is not supported\n", unknown.c_str());
    return BAD_OPTION;
  }
  if (options.show_version) {
    printf("kd version %s\n", engine_version().c_str());
    return 0;
  }
  apply_wine_fixes();
  Engine engine;
  const HRESULT result = engine.load(options.remote);
  if (FAILED(result)) {
    fprintf(stderr, "kd-host: no engine, HRESULT 0x%08lx\n", result);
    return result;
  }
  return run_session(engine, options);
}
