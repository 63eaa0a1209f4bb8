import { randomBytes, randomInt } from 'node:crypto';
import { run } from '../../../../../scripts/run.mjs';
import { networksOf, type ComposeFile } from './compose-file.ts';

/** The first address in each network for services that ask for none. */
const FIRST = 10;
const NAME_BYTES = 3;

interface Member {
  readonly namespace: string;
  /** By the name of the network. */
  readonly addresses: Readonly<Record<string, string>>;
}

/**
 * The networks of a compose file: a bridge for each, and a namespace for each service. podman's own
 * networks would change the packet filter of the machine, and two runs would have the same bridge.
 */
export class Networks implements AsyncDisposable {
  readonly members = new Map<string, Member>();
  readonly #mark = randomBytes(NAME_BYTES).toString('hex');
  readonly #links: string[] = [];
  readonly #bridges = new Map<string, { readonly link: string; readonly prefix: string }>();

  /** @param front the first three numbers of the addresses of the network that is not internal */
  async open(file: ComposeFile, front: string): Promise<void> {
    for (const [index, [name, network]] of Object.entries(file.networks).entries()) {
      const link = `mf${this.#mark}${index}`;
      const prefix = network?.internal === true ? randomPrefix() : front;
      await ip('link', 'add', link, 'type', 'bridge');
      this.#links.push(link);
      await ip('link', 'set', link, 'up');
      // The tests ask from this machine, which is not in an internal network.
      if (network?.internal !== true) await ip('addr', 'add', `${prefix}.1/24`, 'dev', link);
      this.#bridges.set(name, { link, prefix });
    }
    for (const [index, [name, service]] of Object.entries(file.services).entries()) {
      await this.#add(name, index, networksOf(service));
    }
  }

  /** Options of `podman run` for a service: its namespace, and the names of those it shares one with. */
  optionsOf(service: string): string[] {
    const own = this.members.get(service);
    if (own === undefined) throw new Error(`${service} is in no network`);
    const names = [...this.members].flatMap(([name, { addresses }]) => {
      const shared = Object.keys(addresses).find((network) => network in own.addresses);
      return shared === undefined ? [] : [`--add-host=${name}:${addresses[shared]}`];
    });
    return [`--network=ns:/run/netns/${own.namespace}`, ...names];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const link of this.#links.toReversed()) await run('ip', ['link', 'del', link]);
    for (const { namespace } of this.members.values()) await run('ip', ['netns', 'del', namespace]);
  }

  async #add(service: string, index: number, networks: [string, string | undefined][]) {
    const namespace = `mf${this.#mark}-${service}`;
    await ip('netns', 'add', namespace);
    const addresses: Record<string, string> = {};
    this.members.set(service, { namespace, addresses });
    await ip('-n', namespace, 'link', 'set', 'lo', 'up');
    for (const [number, [network, asked]] of networks.entries()) {
      const { link: bridge, prefix } = this.#bridges.get(network) ?? { link: '', prefix: '' };
      const outside = `mf${this.#mark}${index}${number}v`;
      const inside = `eth${number}`;
      const address = asked ?? `${prefix}.${FIRST + index}`;
      await ip('link', 'add', outside, 'type', 'veth', 'peer', 'name', inside, 'netns', namespace);
      this.#links.push(outside);
      await ip('link', 'set', outside, 'master', bridge, 'up');
      await ip('-n', namespace, 'addr', 'add', `${address}/24`, 'dev', inside);
      await ip('-n', namespace, 'link', 'set', inside, 'up');
      addresses[network] = address;
    }
  }
}

/** The first three numbers of a network that nothing else on the machine is likely to have. */
export function randomPrefix(): string {
  return `10.${randomInt(200, 250)}.${randomInt(256)}`;
}

async function ip(...args: readonly string[]): Promise<void> {
  const { code, output } = await run('ip', [...args]);
  if (code !== 0) throw new Error(`ip ${args.join(' ')}: ${output}`);
}
