// Writes the manifests: npm run emit. They are committed, so that nobody needs Node to use them, and
// a test compares them with what this program makes.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import process from 'node:process';
import { Deployment } from 'kubernetes-models/apps/v1/Deployment';
import { Job } from 'kubernetes-models/batch/v1/Job';
import { Ingress } from 'kubernetes-models/networking.k8s.io/v1/Ingress';
import { NetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1/NetworkPolicy';
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1/PodDisruptionBudget';
import { ConfigMap } from 'kubernetes-models/v1/ConfigMap';
import { Service } from 'kubernetes-models/v1/Service';
import { ServiceAccount } from 'kubernetes-models/v1/ServiceAccount';
import { stringify } from 'yaml';
import { deployment } from './deployment.ts';
import { migration } from './migration.ts';
import {
  disruptionBudget,
  ingress,
  instancePolicy,
  metricsService,
  migrationPolicy,
  POLICY_NOTE,
  PROVIDER_NOTE,
  service,
} from './reach.ts';
import { serviceAccount, settings } from './settings.ts';

const LINE_WIDTH = 100;
const NOTE =
  '# Written by deploy/kubernetes/emit.ts, which says why. Change the sources, not this file.';

/** For whoever has the YAML alone: each file begins with its network policy. */
const NOTES: Readonly<Record<string, string>> = {
  '2-migrate.yaml': POLICY_NOTE,
  '3-service.yaml': POLICY_NOTE + PROVIDER_NOTE,
};

const commentOf = (text: string) => text.replaceAll(/^/gm, '# ');

/** In the order in which they are applied: the migration ends before the service is changed. */
const FILES = {
  '1-settings.yaml': [new ServiceAccount(serviceAccount), new ConfigMap(settings)],
  '2-migrate.yaml': [new NetworkPolicy(migrationPolicy), new Job(migration)],
  '3-service.yaml': [
    new NetworkPolicy(instancePolicy),
    new PodDisruptionBudget(disruptionBudget),
    new Service(service),
    new Service(metricsService),
    new Deployment(deployment),
  ],
  '4-ingress.yaml': [new Ingress(ingress)],
};

const folder = resolve(process.argv[2] ?? join(import.meta.dirname, 'manifests'));
mkdirSync(folder, { recursive: true });
for (const [name, manifests] of Object.entries(FILES)) {
  const documents = manifests.map((manifest) => {
    // Values that the types allow and the interface of the cluster does not, such as a name.
    manifest.validate();
    return stringify(manifest.toJSON(), {
      lineWidth: LINE_WIDTH,
      aliasDuplicateObjects: false,
      singleQuote: true,
    });
  });
  const note = NOTES[name];
  const head = note === undefined ? NOTE : `${NOTE}\n${commentOf(note)}`;
  writeFileSync(join(folder, name), `${head}\n${documents.join('---\n')}`);
}
