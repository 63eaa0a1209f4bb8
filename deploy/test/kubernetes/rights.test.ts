import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  manifest,
  MANIFESTS,
  podTemplates,
  readManifests,
} from '../support/kubernetes/manifests.ts';

/** What the pods of the manifests may do, and who reaches them, by the values of the YAML. */

const INSTANCE = { 'app.kubernetes.io/name': 'miftah' };
const MIGRATION = { 'app.kubernetes.io/name': 'miftah-migrate' };
const templates = podTemplates();

it('has pods of the service and of the migration, and no other', () => {
  const labels = [...templates].map(([name, { metadata }]) => [name, metadata.labels]);
  expect(Object.fromEntries(labels)).toEqual({
    'Job miftah-migrate': MIGRATION,
    'Deployment miftah': INSTANCE,
  });
});

/**
 * The profile `restricted` of the Pod Security Standards. It also allows other kinds of volumes, and
 * does not ask for a read-only root, a user by number or a pod without a token.
 */
describe.each([...templates])('the pod of %s', (_, { spec }) => {
  it('runs as the user of the image, with the system calls that the engine allows', () => {
    expect(spec.securityContext).toEqual({
      runAsNonRoot: true,
      runAsUser: 10001,
      runAsGroup: 10001,
      fsGroup: 10001,
      seccompProfile: { type: 'RuntimeDefault' },
    });
    expect(spec.automountServiceAccountToken).toBe(false);
  });

  it('gives its only container no capability, no way to more rights and a read-only root', () => {
    expect(spec.containers).toHaveLength(1);
    expect(spec.containers[0]?.securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    });
  });

  it('has nothing of its node: no namespace, no port and no folder', () => {
    const fields = Object.keys(spec).filter((name) => /^host|initContainers|ephemeral/.test(name));
    expect(fields).toEqual([]);
    expect(JSON.stringify(spec.containers)).not.toContain('hostPort');
    const kinds = spec.volumes.flatMap((volume) =>
      Object.keys(volume).filter((key) => key !== 'name'),
    );
    expect(new Set(kinds)).toEqual(new Set(['emptyDir', 'secret']));
  });
});

const file = (key: string) => ({ key, path: key });
const SECRETS_OF_DATABASE = [file('database-url'), file('secret-key')];
const SECRETS_OF_PROVIDER = [file('provider-app-id'), file('provider-app-key')];
const secretsOf = (items: readonly object[]) => ({
  name: 'secrets',
  secret: { secretName: 'miftah-secrets', defaultMode: 0o440, items },
});
const DATA = { name: 'data', emptyDir: { sizeLimit: '64Mi' } };

it('gives an instance its four secrets and the clients, and the migration those of the database', () => {
  const volumes = [...templates].map(([name, { spec }]) => [name, spec.volumes]);
  const clients = { name: 'clients', secret: { secretName: 'miftah-clients', defaultMode: 0o440 } };
  expect(Object.fromEntries(volumes)).toEqual({
    'Job miftah-migrate': [DATA, secretsOf(SECRETS_OF_DATABASE)],
    'Deployment miftah': [
      DATA,
      secretsOf([...SECRETS_OF_DATABASE, ...SECRETS_OF_PROVIDER]),
      clients,
    ],
  });
});

const fromNamespace = (name: string) => [
  { namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': name } } },
];
const tcp = (port: number) => ({ protocol: 'TCP', port });
const block = (cidr: string, except?: readonly string[]) => ({
  ipBlock: except === undefined ? { cidr } : { cidr, except },
});
const PRIVATE = ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '100.64.0.0/10'];
const NAMES = {
  to: [
    { ...fromNamespace('kube-system')[0], podSelector: { matchLabels: { 'k8s-app': 'kube-dns' } } },
  ],
  ports: [{ protocol: 'UDP', port: 53 }, tcp(53)],
};
const POSTGRES = {
  to: [...PRIVATE, 'fc00::/7'].map((cidr) => block(cidr)),
  ports: [tcp(5432)],
};
const HTTPS = {
  to: [
    block('0.0.0.0/0', [...PRIVATE, '169.254.0.0/16']),
    block('::/0', ['fc00::/7', 'fe80::/10']),
  ],
  ports: [tcp(443)],
};

describe('the network policies', () => {
  it('let the ingress controller in to the service and Prometheus to the numbers alone', () => {
    expect(manifest('NetworkPolicy', 'miftah').spec).toEqual({
      podSelector: { matchLabels: INSTANCE },
      policyTypes: ['Ingress', 'Egress'],
      ingress: [
        { from: fromNamespace('ingress-nginx'), ports: [tcp(3000)] },
        { from: fromNamespace('monitoring'), ports: [tcp(9464)] },
      ],
      egress: [NAMES, POSTGRES, HTTPS],
    });
  });

  it('let nobody in to the migration, and out to names and PostgreSQL alone', () => {
    expect(manifest('NetworkPolicy', 'miftah-migrate').spec).toEqual({
      podSelector: { matchLabels: MIGRATION },
      policyTypes: ['Ingress', 'Egress'],
      egress: [NAMES, POSTGRES],
    });
  });

  it('are all that there are, and each file says above them what to narrow', () => {
    expect(readManifests().filter(({ kind }) => kind === 'NetworkPolicy')).toHaveLength(2);
    const heads = ['2-migrate.yaml', '3-service.yaml'].map(
      (name) => readFileSync(join(MANIFESTS, name), 'utf8').split('apiVersion')[0] ?? '',
    );
    const ports = heads.map((head) => head.match(/(?<=^# - port )\d+/gm));
    expect(ports).toEqual([
      ['53', '5432'],
      ['53', '5432', '443'],
    ]);
  });
});

it('has the numbers at one port of each instance, which no Ingress names', () => {
  expect(manifest('Service', 'miftah-metrics').spec).toEqual({
    clusterIP: 'None',
    publishNotReadyAddresses: true,
    selector: INSTANCE,
    ports: [{ name: 'metrics', port: 9464, targetPort: 'metrics' }],
  });
  const [container] = templates.get('Deployment miftah')?.spec.containers ?? [];
  expect(container?.ports).toEqual([
    { name: 'http', containerPort: 3000 },
    { name: 'metrics', containerPort: 9464 },
  ]);
  const { data } = manifest('ConfigMap', 'miftah-settings');
  expect(data).toMatchObject({ PORT: '3000', METRICS_PORT: '9464', METRICS_HOST: '0.0.0.0' });
  expect(manifest('Service', 'miftah').spec).toEqual({
    selector: INSTANCE,
    ports: [{ name: 'http', port: 80, targetPort: 'http' }],
  });
  const ingress = JSON.stringify(manifest('Ingress', 'miftah').spec);
  expect(ingress).toContain('"service":{"name":"miftah","port":{"name":"http"}}');
  expect(ingress).not.toContain('metrics');
});
