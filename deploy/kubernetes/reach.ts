// How requests come to the instances, and what may reach them.

import type { IIngress } from 'kubernetes-models/networking.k8s.io/v1/Ingress';
import type { INetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1/NetworkPolicy';
import type { INetworkPolicyPeer } from 'kubernetes-models/networking.k8s.io/v1/NetworkPolicyPeer';
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

/** Of the addresses that networks of one's own have. 100.64.0.0/10 is that of some clouds. */
const PRIVATE = ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '100.64.0.0/10'];
const PRIVATE_V6 = ['fc00::/7'];
/** Under an address of a link, clouds hand out credentials of the machine. */
const OF_A_LINK = '169.254.0.0/16';
const OF_A_LINK_V6 = 'fe80::/10';

type Egress = NonNullable<NonNullable<INetworkPolicy['spec']>['egress']>[number];

/** CoreDNS, and kube-dns before it. */
const toDns = {
  to: [
    { ...fromNamespace('kube-system'), podSelector: { matchLabels: { 'k8s-app': 'kube-dns' } } },
  ],
  ports: [
    { protocol: 'UDP', port: DNS_PORT },
    { protocol: 'TCP', port: DNS_PORT },
  ],
} satisfies Egress;

const toDatabase = {
  to: [...PRIVATE, ...PRIVATE_V6].map((cidr) => ({ ipBlock: { cidr } })),
  ports: [{ protocol: 'TCP', port: POSTGRES_PORT }],
} satisfies Egress;

/** Without the cluster's own interface, other pods and the services of a cloud's machine. */
const toProvider = {
  to: [
    { ipBlock: { cidr: '0.0.0.0/0', except: [...PRIVATE, OF_A_LINK] } },
    { ipBlock: { cidr: '::/0', except: [...PRIVATE_V6, OF_A_LINK_V6] } },
  ],
  ports: [{ protocol: 'TCP', port: HTTPS_PORT }],
} satisfies Egress;

/** Stands above a policy in its file: what only the operator knows. */
export const POLICY_NOTE = `Narrow \`to\` to what you know, by an ipBlock with /32 for each address:
- port 53: a name server that runs on the node (NodeLocal DNSCache) has an address such as
  169.254.20.10; OpenShift has its own in the namespace openshift-dns, at port 5353.
- port 5432: your database server. Here it is every private address, and no public one.`;

export const PROVIDER_NOTE = `
- port 443: the addresses of your provider. Here it is every public address, and no private one: a
  provider on a private network has to be named. So has a collector of traces, with its port.`;

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
  egress: [toDns, toDatabase, toProvider],
});

/** The migration asks the database and nothing else, and nobody asks it. */
export const migrationPolicy = policy(MIGRATION, MIGRATION_LABELS, {
  egress: [toDns, toDatabase],
});
