import { readFileSync } from 'node:fs';
import { parse } from 'yaml';

/** The part of the compose format that deploy/image/compose.yaml uses. */

export interface ComposeService {
  readonly image: string;
  readonly command?: readonly string[];
  readonly user?: string;
  readonly read_only?: boolean;
  readonly cap_drop?: readonly string[];
  readonly cap_add?: readonly string[];
  readonly security_opt?: readonly string[];
  readonly pids_limit?: number;
  readonly mem_limit?: string;
  readonly shm_size?: string;
  readonly ulimits?: Readonly<Record<string, number>>;
  readonly env_file?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly secrets?: readonly string[];
  readonly volumes?: readonly string[];
  readonly tmpfs?: readonly string[];
  readonly stop_signal?: string;
  readonly stop_grace_period?: string;
  readonly networks: readonly string[] | Readonly<Record<string, { ipv4_address?: string }>>;
  readonly depends_on?: Readonly<Record<string, { readonly condition: Condition }>>;
  readonly healthcheck?: { readonly test: readonly string[] };
  /** What containers of the tests can do without: they are asked at their own addresses. */
  readonly restart?: string;
  readonly ports?: readonly string[];
}

type Condition = 'service_healthy' | 'service_completed_successfully';

export interface ComposeFile {
  readonly services: Readonly<Record<string, ComposeService>>;
  readonly networks: Readonly<Record<string, { internal?: boolean; ipam?: Ipam } | null>>;
  readonly volumes: Readonly<Record<string, null>>;
  readonly secrets: Readonly<Record<string, { readonly file: string }>>;
}

interface Ipam {
  readonly config: readonly { readonly subnet: string }[];
}

/** @param variables what stands for `${NAME:-default}` in the file */
export function readComposeFile(path: string, variables: Readonly<Record<string, string>>) {
  const text = readFileSync(path, 'utf8').replaceAll(
    /\$\{(\w+):-([^}]*)\}/g,
    (_, name: string, byDefault: string) => variables[name] ?? byDefault,
  );
  return parse(text, { merge: true }) as ComposeFile;
}

/** In an order in which each service comes after those that it waits for. */
export function inOrder({ services }: ComposeFile): string[] {
  const ordered: string[] = [];
  const add = (name: string) => {
    if (ordered.includes(name)) return;
    for (const other of Object.keys(services[name]?.depends_on ?? {})) add(other);
    ordered.push(name);
  };
  for (const name of Object.keys(services)) add(name);
  return ordered;
}

/** The names of its networks, and in which of them it asks for an address. */
export function networksOf({ networks }: ComposeService): [string, string | undefined][] {
  if (isList(networks)) return networks.map((name) => [name, undefined]);
  return Object.entries(networks).map(([name, { ipv4_address: address }]) => [name, address]);
}

function isList(networks: ComposeService['networks']): networks is readonly string[] {
  return Array.isArray(networks);
}
