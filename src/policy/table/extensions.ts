/**
 * Extension commands that are known to read only, and the others that are worth a word. One that is not here is
 * refused: it is code that nobody has classified, and kd looks for it in libraries and in a gallery on the network.
 */
import { BARE, CONTROLS, type Entry, HEAVY, READS, tableOf, WRITES } from './entry.ts';

const CODE = { effects: ['host code'] } as const;

/** Libraries of the debugger whose commands have the names below. */
const STANDARD = new Set(['kdexts', 'ext', 'exts', 'kext', 'nt']);

const TABLE = tableOf([
  // Processes, threads, scheduling.
  [
    'process thread sprocess dml_proc session job silo peb teb token tokens sid acl sd handle logonsession zombies',
    READS,
  ],
  [
    'running ready dpcs timer dpcwatchdog qlocks pcr prcb irql ipi cpuid cpuinfo cpu smt numa numa_hal',
    READS,
  ],
  ['stacks findstack uniqstack locks deadlock', HEAVY],
  ['kuser tz exqueue apc apcs runaway gle error stack wow64exts.info wow64exts.k', READS],
  // Memory.
  [
    'pte pte2va vtop ptov pfn vm vad memusage sysptes ca cc ccs lookaside filecache defwrites filelock openmaps frag',
    READS,
  ],
  ['pool poolval pooltag poolpage hugepool', READS],
  ['poolused poolfind search searchpte vprot poolinfo', HEAVY],
  ['db dc dd dp dq du dw', READS],
  ['eb ed eq ew ep ebq', WRITES],
  ['heap gflag', { ...READS, only: BARE, otherwise: WRITES }],
  // `!htrace handle process`; its switches turn tracing on and off.
  ['htrace', { ...READS, only: /^[^-/]*$/, otherwise: WRITES }],
  ['address', { ...READS, only: /^(?!.*-c)/i }],
  // Objects, devices, I/O.
  [
    'object obja obtrace obheader drvobj devobj devstack devnode devext fileobj file irp irpfind ioresdes iorequest cmreslist',
    READS,
  ],
  [
    'arbiter pci pcitree pcidevs pcicfg pciext pcm pnpevent pnptriage pnpstate rellist stag driveinfo driver',
    READS,
  ],
  [
    'idt gdt apic ioapic isainfo mca nmi acpiinf acpicache acpiirqarb acpikd.acpiinf acpiresources rsdt fadt mapic tss',
    READS,
  ],
  ['ecb ecd ecw', WRITES],
  ['ib id iw ob od ow', WRITES],
  ['lpc alpc npx lbr', READS],
  // `!reg dumppool s` writes a file.
  ['reg', { ...READS, only: /^(?!dumppool)/i, otherwise: { effects: ['host file write'] } }],
  [
    'usbkd.usbhelp usbkd.usbhcdlist usbkd.usb2tree usbkd.usbtriage usbkd.usbhcdhccontext usb3kd.usb_tree usb3kd.xhci_info',
    READS,
  ],
  [
    'scsikd.classext scsikd.scsiext minipkd.adapters minipkd.adapter minipkd.srb storagekd.storadapter storagekd.storclass storagekd.storunit',
    READS,
  ],
  [
    'fltkd.filters fltkd.filter fltkd.volumes fltkd.volume fltkd.frames fltkd.frame fltkd.instance fltkd.cbd fltkd.portlist fltkd.irpctrl fltkd.fileobject',
    READS,
  ],
  [
    'ndiskd.adapters ndiskd.miniports ndiskd.miniport ndiskd.netadapter ndiskd.protocols ndiskd.protocol ndiskd.filters ndiskd.filter ndiskd.nbl ndiskd.nb ndiskd.netreport ndiskd.oid ndiskd.pkt ndiskd.help',
    READS,
  ],
  [
    'wdfkd.wdfldr wdfkd.wdfdriverinfo wdfkd.wdfdevice wdfkd.wdfdevicequeues wdfkd.wdfqueue wdfkd.wdfrequest wdfkd.wdfobject wdfkd.wdfhandle wdfkd.wdflogdump wdfkd.wdfdevext wdfkd.wdfiotarget wdfkd.wdfhelp wdfkd.wdfmemory wdfkd.wdfspinlock wdfkd.wdftagtracker',
    { ...READS, only: /^[\w\s`@$.+-]*$/ },
  ],
  [
    'hidkd.help hidkd.hidtree hidkd.hidfdo hidkd.hidpdo hidkd.hidppd hidkd.hidrd usb3kd.hub_info usb3kd.device_info usb3kd.port_info usb3kd.urb usb3kd.ucx_controller_list',
    READS,
  ],
  // `logsave` and `rcdrlogsave` write files; options name others.
  [
    'wmitrace.strdump wmitrace.logger wmitrace.logdump rcdrkd.rcdrlogdump rcdrkd.rcdrcrashdump rcdrkd.rcdrloglist wdfkd.wdfcrashdump wdfkd.wdfpoolusage',
    { ...READS, only: /^[\w\s`.]*$/ },
  ],
  ['ahcache bushnd callback ivt srb urb vpb fpsearch', READS],
  ['amli', { ...READS, only: /^(?:dns|find|r|u|dh|ds|do|dl|lc|ln|bl)\b/i }],
  // Crashes and power.
  ['analyze', { ...HEAVY, only: /^(?:(?:-(?:v\d?|f|hang|c?xr|show|d)|[0-9a-fx`]+)(?:\s+|$))*$/i }],
  [
    'blackboxbsd blackboxntfs blackboxpnp blackboxwinlogon bugdump errrec errpkt whea sysinfo cxr exr trap',
    READS,
  ],
  ['verifier', { ...READS, only: /^(?:\w[\w.`]*(?:\s+|$))*$/ }],
  ['powertriage poaction pocaps podev podevact poetw popolicy poreqlist pocpu popr thermal', READS],
  ['dbgprint dflink dblink validatelist bitmap', READS],
  // Modules, types, strings.
  ['dh lmi dlls imgscan imgreloc', READS],
  // Their second argument may be a file.
  ['chksym itoldyouso', { ...READS, only: /^[\w.`@+-]*$/ }],
  ['chkimg', { ...HEAVY, only: /^(?!.*-(?:f)\b)/i, otherwise: WRITES }],
  [
    'str ustr hstring std_map rtlavl splayfind slist strct tls tp version help owner gentable cppexr mui',
    READS,
  ],
  ['chain', READS],
  ['sym', { ...READS, only: /^(?:noisy|quiet)?$/i, otherwise: { effects: ['changes parsing'] } }],
  ['reload', { ...HEAVY, only: /^(?:(?:\/[a-z]+|[\w*-][\w.*-]*)(?:\s+|$))*$/i }],
  // They hold commands.
  [
    'for_each_process for_each_thread for_each_module for_each_frame for_each_local for_each_function for_each_register',
    { effects: ['reads target', 'heavy on the link'], grammar: 'each' },
  ],
  ['list', { effects: ['reads target', 'heavy on the link'], grammar: 'list' }],
  // Others.
  ['bpid ubp ubc ubd ube bth', CONTROLS],
  ['load unload setdll extpath', CODE],
  ['kdfiles', { effects: ['host code', 'host file read'] }],
  ['url shell', { effects: ['host program'] }],
]);

/** The entry of an extension command, with or without its library, in lower case. */
export function extensionEntry(library: string | undefined, name: string): Entry | undefined {
  if (library === undefined) return TABLE.get(name);
  return TABLE.get(`${library}.${name}`) ?? (STANDARD.has(library) ? TABLE.get(name) : undefined);
}

/** How many names the table holds. */
export const EXTENSION_COUNT = TABLE.size;
