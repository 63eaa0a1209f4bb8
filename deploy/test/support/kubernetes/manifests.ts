import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { root } from '../../../../scripts/run.mjs';

export const MANIFESTS = join(root, 'deploy', 'kubernetes', 'manifests');

export interface Container {
  readonly name: string;
  readonly image: string;
  readonly securityContext?: object;
  readonly ports?: readonly { readonly name: string; readonly containerPort: number }[];
}

export interface PodSpec {
  readonly securityContext?: object;
  readonly automountServiceAccountToken?: boolean;
  readonly volumes: readonly object[];
  readonly containers: readonly Container[];
}

interface Template {
  readonly metadata: { readonly labels: object };
  readonly spec: PodSpec;
}

/** The part of a manifest that the tests read. */
export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly data?: Readonly<Record<string, string>>;
  readonly spec?: object;
}

/** All resources of a folder, in the order in which they are applied. */
export function readManifests(folder = MANIFESTS): readonly Manifest[] {
  return globSync('[0-9]-*.yaml', { cwd: folder })
    .toSorted()
    .flatMap((file) => parseAllDocuments(readFileSync(join(folder, file), 'utf8')))
    .map((one) => one.toJS() as Manifest);
}

/** @throws Error when there is no such resource */
export function manifest(kind: string, name: string, all = readManifests()): Manifest {
  const found = all.find((one) => one.kind === kind && one.metadata.name === name);
  if (found !== undefined) return found;
  throw new Error(`no ${kind} ${name} in the manifests`);
}

/** What each resource that makes pods makes them of, by kind and name. */
export function podTemplates(all = readManifests()): ReadonlyMap<string, Template> {
  const templates = all.flatMap(({ kind, metadata, spec }) => {
    const { template } = (spec ?? {}) as { readonly template?: Template };
    return template === undefined ? [] : [[`${kind} ${metadata.name}`, template] as const];
  });
  return new Map(templates);
}
