// How requests come to the instances, and what may reach them.

import type { IIngress } from 'kubernetes-models/networking.k8s.io/v1/Ingress';
import type { INetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1/NetworkPolicy';
import type { INetworkPolicyPeer } from 'kubernetes-models/networking.k8s.io/v1/NetworkPolicyPeer';
import type { INetworkPolicyPort } from 'kubernetes-models/networking.k8s.io/v1/NetworkPolicyPort';
import type { IPodDisruptionBudget } from 'kubernetes-models/policy/v1/PodDisruptionBudget';
import type { IService } from 'kubernetes-models/v1/Service';
import {
  INSTANCE_LABELS,
  METRICS,
  METRICS_PORT,
  MIGRATION,
  MIGRATION_LABELS,
  NAME,
  PORT,
  PUBLIC_HOST,
} from './names.ts';

const POSTGRES_PORT = 5432;
const DNS_PORT = 53;
const HTTPS_PORT = 443;

export const service = {
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: NAME, labels: INSTANCE_LABELS },
  spec: {
    selector: INSTANCE_LABELS,
    ports: [{ name: 'http', port: 80, targetPort: 'http' }],
  },
} satisfies IService;

/**
 * Without an address of its own: the numbers are of one instance, so Prometheus asks each. It asks
 * those that are not ready as well, because their numbers say why.
 */
export const metricsService = {
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: METRICS, labels: INSTANCE_LABELS },
  spec: {
    clusterIP: 'None',
    publishNotReadyAddresses: true,
    selector: INSTANCE_LABELS,
    ports: [{ name: 'metrics', port: METRICS_PORT, targetPort: 'metrics' }],
  },
} satisfies IService;

/** A node that is emptied waits until another instance is ready. */
export const disruptionBudget = {
  apiVersion: 'policy/v1',
  kind: 'PodDisruptionBudget',
  metadata: { name: NAME, labels: INSTANCE_LABELS },
  spec: { maxUnavailable: 1, selector: { matchLabels: INSTANCE_LABELS } },
} satisfies IPodDisruptionBudget;

/** Of the controller ingress-nginx. What it has no annotation for is in docs/containers.md. */
const INGRESS_ANNOTATIONS = {
  // Its log would have the query of each request, in which are completion codes.
  'nginx.ingress.kubernetes.io/enable-access-log': 'false',
  // The service's own limit.
  'nginx.ingress.kubernetes.io/proxy-body-size': '16k',
  // A POST that was sent to an instance is never sent to another one.
  'nginx.ingress.kubernetes.io/proxy-next-upstream': 'error timeout',
  'nginx.ingress.kubernetes.io/proxy-next-upstream-tries': '2',
  // A long poll takes 25 seconds, and an event stream has a line each 15 seconds.
  'nginx.ingress.kubernetes.io/proxy-read-timeout': '60',
};

/** The controller has to pass Host on, and must not keep back answers of event streams. */
export const ingress = {
  apiVersion: 'networking.k8s.io/v1',
  kind: 'Ingress',
  metadata: { name: NAME, labels: INSTANCE_LABELS, annotations: INGRESS_ANNOTATIONS },
  spec: {
    ingressClassName: 'nginx',
    tls: [{ hosts: [PUBLIC_HOST], secretName: 'miftah-tls' }],
    rules: [
      {
        host: PUBLIC_HOST,
        http: {
          paths: [
            {
              path: '/',
              pathType: 'Prefix',
              backend: { service: { name: NAME, port: { name: 'http' } } },
            },
          ],
        },
      },
    ],
  },
} satisfies IIngress;

function fromNamespace(name: string) {
  const matchLabels = { 'kubernetes.io/metadata.name': name };
  return { namespaceSelector: { matchLabels } } satisfies INetworkPolicyPeer;
}

const dns = [
  { protocol: 'UDP', port: DNS_PORT },
  { protocol: 'TCP', port: DNS_PORT },
] satisfies INetworkPolicyPort[];

/** @param rules what may reach the pods with the labels, and what they may reach */
function policy(
  name: string,
  labels: Readonly<Record<string, string>>,
  rules: Pick<NonNullable<INetworkPolicy['spec']>, 'ingress' | 'egress'>,
): INetworkPolicy {
  return {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    metadata: { name, labels },
    spec: { podSelector: { matchLabels: labels }, policyTypes: ['Ingress', 'Egress'], ...rules },
  };
}

/** The kubelet of a node may always ask its pods, so the probes need no rule. */
export const instancePolicy = policy(NAME, INSTANCE_LABELS, {
  ingress: [
    { from: [fromNamespace('ingress-nginx')], ports: [{ protocol: 'TCP', port: PORT }] },
    { from: [fromNamespace('monitoring')], ports: [{ protocol: 'TCP', port: METRICS_PORT }] },
  ],
  // The provider has no fixed address. Write that of your database server where you know it.
  egress: [
    { ports: dns },
    { ports: [{ protocol: 'TCP', port: POSTGRES_PORT }] },
    { ports: [{ protocol: 'TCP', port: HTTPS_PORT }] },
  ],
});

/** The migration asks the database and nothing else, and nobody asks it. */
export const migrationPolicy = policy(MIGRATION, MIGRATION_LABELS, {
  egress: [{ ports: dns }, { ports: [{ protocol: 'TCP', port: POSTGRES_PORT }] }],
});
