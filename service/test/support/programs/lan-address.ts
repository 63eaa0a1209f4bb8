import { machineAddresses } from '../../../src/config/lan.ts';

/** An address at which other devices would reach this machine. */
export function lanAddress(): string {
  const [address] = machineAddresses();
  if (address === undefined) {
    throw new Error('this machine has no address but loopback: bring up a network interface');
  }
  return address;
}

/** The addresses with codes that the banner of `--lan` has. */
export function entranceIn(banner: string): { readonly console: string; readonly phone: string } {
  const [, console = ''] = /^ {2}Console +(\S+#code=\S+)$/m.exec(banner) ?? [];
  const [, phone = ''] = /^ {2}Phone +(\S+#code=\S+)$/m.exec(banner) ?? [];
  return { console, phone };
}
