import { describe, expect, it } from 'vitest';
import { manifest, podTemplates, readManifests } from '../support/kubernetes/manifests.ts';

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
    const kinds = spec.volumes.map((volume) => Object.keys(volume).filter((key) => key !== 'name'));
    expect(kinds).toEqual([['emptyDir'], ['secret'], ['secret']]);
    expect(JSON.stringify(spec.volumes)).toContain(
      '"secretName":"miftah-secrets","defaultMode":288',
    );
  });
});

const fromNamespace = (name: string) => [
  { namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': name } } },
];
const tcp = (port: number) => ({ protocol: 'TCP', port });
const NAMES = { ports: [{ protocol: 'UDP', port: 53 }, tcp(53)] };
const POSTGRES = { ports: [tcp(5432)] };
const HTTPS = { ports: [tcp(443)] };

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

  it('are all that there are', () => {
    expect(readManifests().filter(({ kind }) => kind === 'NetworkPolicy')).toHaveLength(2);
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
