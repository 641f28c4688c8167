/** Names of addresses and addresses of names, over the modules that are loaded. */
import type { ModuleDefinition } from './modules.ts';

/** A place in a module: its nearest symbol at or below, or only the module. */
export interface Place {
  readonly module: ModuleDefinition;
  readonly symbol: string | undefined;
  readonly symbolAddress: bigint;
  readonly offset: bigint;
  readonly next: { readonly name: string; readonly address: bigint } | undefined;
}

/** The module whose image covers the address. */
export function moduleAt(
  modules: readonly ModuleDefinition[],
  address: bigint,
): ModuleDefinition | undefined {
  return modules.find((m) => address >= m.base && address < m.base + BigInt(m.size));
}

/** Address of `module!name`, of a bare symbol of any module (nt first), or of a module's name. Case does not matter. */
export function addressOf(modules: readonly ModuleDefinition[], text: string): bigint | undefined {
  const bang = text.indexOf('!');
  const moduleName = bang < 0 ? undefined : text.slice(0, bang).toLowerCase();
  const symbolName = text.slice(bang + 1).toLowerCase();
  for (const module of modules) {
    if (moduleName !== undefined && module.name !== moduleName) continue;
    for (const [name, rva] of Object.entries(module.symbols)) {
      if (name.toLowerCase() === symbolName) return module.base + BigInt(rva);
    }
  }
  if (bang >= 0) return undefined;
  return modules.find((m) => m.name === symbolName)?.base;
}

/** What lies at an address. */
export function placeOf(modules: readonly ModuleDefinition[], address: bigint): Place | undefined {
  const module = moduleAt(modules, address);
  if (!module) return undefined;
  let below: { name: string; address: bigint } | undefined;
  let above: { name: string; address: bigint } | undefined;
  for (const [name, rva] of Object.entries(module.symbols)) {
    const at = module.base + BigInt(rva);
    if (at <= address && (!below || at > below.address)) below = { name, address: at };
    if (at > address && (!above || at < above.address)) above = { name, address: at };
  }
  return {
    module,
    symbol: below?.name,
    symbolAddress: below?.address ?? module.base,
    offset: address - (below?.address ?? module.base),
    next: above,
  };
}

/** `nt!KiIdleLoop+0x2`, `mydriver+0x10`, or undefined outside of all modules. */
export function nameOf(modules: readonly ModuleDefinition[], address: bigint): string | undefined {
  const place = placeOf(modules, address);
  if (!place) return undefined;
  const name = place.symbol === undefined ? place.module.name : `${place.module.name}!${place.symbol}`;
  return place.offset === 0n ? name : `${name}+0x${place.offset.toString(16)}`;
}
