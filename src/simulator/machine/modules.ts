/**
 * The kernel modules of the modelled guest: names, bases, sizes and symbols.
 *
 * The addresses of the first boot are those of the target that the real engine was run against, so that both can be compared.
 */

export interface ModuleDefinition {
  /** The name kd uses in symbols: `nt`, `mydriver`. */
  readonly name: string;
  /** Name of the file on the guest's disk. */
  readonly file: string;
  /** Path as the guest's loader knows it. */
  readonly path: string;
  readonly base: bigint;
  readonly size: number;
  readonly timestamp: number;
  readonly checksum: number;
  readonly company: string;
  readonly version: string;
  readonly description: string;
  /** Name in the export directory, where it is another one. */
  readonly internalName?: string;
  /** Loaded by a scenario or on request, not at boot. */
  readonly onDemand?: boolean;
  /** Offsets of exported names from the base. Code lies below {@link codeEnd}. */
  readonly symbols: Readonly<Record<string, number>>;
  readonly codeEnd: number;
}

export const NT_BASE = 0xfffff803_12400000n;

export const MODULES: readonly ModuleDefinition[] = [
  {
    name: 'nt',
    file: 'ntoskrnl.exe',
    path: '\\SystemRoot\\system32\\ntoskrnl.exe',
    base: NT_BASE,
    size: 0x100000,
    timestamp: 0x5f0a3b2c,
    checksum: 0xa1234,
    company: 'Microsoft Corporation',
    version: '10.0.19041.1',
    description: 'NT Kernel & System',
    internalName: 'ntkrnlmp.exe',
    codeEnd: 0x30000,
    symbols: {
      DbgBreakPoint: 0x10000,
      DbgBreakPointWithStatus: 0x10010,
      KeBugCheckEx: 0x10100,
      KeBugCheck2: 0x10200,
      KiBugCheckDebugBreak: 0x10280,
      KiSystemStartup: 0x10300,
      KiIdleLoop: 0x10400,
      KeUpdateSystemTime: 0x10500,
      KdCheckForDebugBreak: 0x10600,
      KdInitSystem: 0x10680,
      KiPageFault: 0x10700,
      KiBugCheckDispatch: 0x10740,
      KiSwapContext: 0x10800,
      KiSwapThread: 0x10840,
      KiCommitThreadWait: 0x10880,
      KeWaitForSingleObject: 0x108c0,
      KeDelayExecutionThread: 0x10900,
      PspSystemThreadStartup: 0x10940,
      KiStartSystemThread: 0x10980,
      IofCallDriver: 0x109c0,
      IopSynchronousServiceTail: 0x10a00,
      IopXxxControlFile: 0x10a40,
      NtDeviceIoControlFile: 0x10a80,
      KiSystemServiceCopyEnd: 0x10ac0,
      NtCreateFile: 0x11000,
      NtOpenProcess: 0x11040,
      NtClose: 0x11080,
      DbgPrint: 0x11100,
      DbgPrompt: 0x11120,
      DbgLoadImageSymbols: 0x11140,
      DebugService2: 0x11180,
      IopLoadDriver: 0x11200,
      PsLoadedModuleList: 0x40000,
      KdDebuggerDataBlock: 0x41000,
      NtBuildNumber: 0x42000,
      KiProcessorBlock: 0x43000,
      NtBuildLab: 0x44000,
      PsActiveProcessHead: 0x45000,
      KiBugCheckData: 0x46000,
      NtGlobalFlag: 0x46100,
      PsInitialSystemProcess: 0x46110,
    },
  },
  {
    name: 'hal',
    file: 'hal.dll',
    path: '\\SystemRoot\\system32\\hal.dll',
    base: NT_BASE - 0x40000n,
    size: 0x20000,
    timestamp: 0x5f0a3b2d,
    checksum: 0x1234,
    company: 'Microsoft Corporation',
    version: '10.0.19041.1',
    description: 'Hardware Abstraction Layer DLL',
    codeEnd: 0x3000,
    symbols: { HalReturnToFirmware: 0x1000, HalInitSystem: 0x1040 },
  },
  {
    name: 'mydriver',
    file: 'mydriver.sys',
    path: '\\??\\C:\\drivers\\mydriver.sys',
    base: 0xfffff803_1a000000n,
    size: 0x8000,
    timestamp: 0x65a1b2c3,
    checksum: 0x5678,
    company: 'Contoso',
    version: '1.2.3.4',
    description: 'My sample driver',
    codeEnd: 0x3000,
    symbols: {
      DriverEntry: 0x1000,
      MyDispatch: 0x1040,
      MyUnload: 0x1080,
      MyCrash: 0x10c0,
      MyTimerRoutine: 0x1100,
      g_Greeting: 0x5000,
      g_Counter: 0x5100,
      g_Korean: 0x5200,
    },
  },
  {
    name: 'otherdrv',
    file: 'otherdrv.sys',
    path: '\\SystemRoot\\System32\\drivers\\otherdrv.sys',
    base: 0xfffff803_1b000000n,
    size: 0x6000,
    timestamp: 0x65a1b2c4,
    checksum: 0x9abc,
    company: 'Contoso',
    version: '1.0.0.0',
    description: 'A driver that is loaded later',
    onDemand: true,
    codeEnd: 0x3000,
    symbols: { DriverEntry: 0x1000, OtherDispatch: 0x1040, OtherUnload: 0x1080 },
  },
];

/** How far the kernel and its drivers move with each boot, and after how many boots they are back. */
const SLIDE = 0x200000n;
const PLACES = 16;

/** The modules at the bases of a boot: each puts them somewhere else, as address randomisation does. */
export function modulesAt(boot: number): readonly ModuleDefinition[] {
  const slide = SLIDE * BigInt((boot - 1) % PLACES);
  return slide === 0n ? MODULES : MODULES.map((module) => ({ ...module, base: module.base + slide }));
}
