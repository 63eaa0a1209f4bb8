import type { IDeployment } from 'kubernetes-models/apps/v1/Deployment';
import type { IContainer } from 'kubernetes-models/v1/Container';
import type { IProbe } from 'kubernetes-models/v1/Probe';
import {
  GRACE_SECONDS,
  INSTANCE_LABELS,
  METRICS_PORT,
  NAME,
  PORT,
  PUBLIC_HOST,
  READINESS_PERIOD_SECONDS,
} from './names.ts';
import { container, instance, podSpec } from './pod.ts';

const NODE_NAME = 'kubernetes.io/hostname';

/**
 * Probes name the address of the pod as their host, and in live mode the service answers 421 to
 * every name but its own. So they send the name of PUBLIC_URL.
 */
function get(path: string) {
  const httpHeaders = [{ name: 'Host', value: PUBLIC_HOST }];
  return { path, port: 'http', httpHeaders } satisfies IProbe['httpGet'];
}

/** The migration is done by its job, so a start takes a second or two, also on a slow node. */
const startupProbe = {
  httpGet: get('/livez'),
  periodSeconds: 1,
  timeoutSeconds: 2,
  failureThreshold: 60,
} satisfies IProbe;

/**
 * /livez never asks the database, so an outage of it restarts nothing. The answer is late only when
 * the process does not go on at all: a restart then loses nothing, but it must not be a reaction to
 * load. In the tests of slow readers the longest wait was under a second.
 */
const livenessProbe = {
  httpGet: get('/livez'),
  periodSeconds: 10,
  timeoutSeconds: 5,
  failureThreshold: 3,
} satisfies IProbe;

/**
 * One failure is enough: /readyz answers from memory, and it says 503 when a database is away, when
 * a clock is wrong, and while the service is being stopped. The timeout is below the period.
 */
const readinessProbe = {
  httpGet: get('/readyz'),
  periodSeconds: READINESS_PERIOD_SECONDS,
  timeoutSeconds: 3,
  failureThreshold: 1,
} satisfies IProbe;

const serviceContainer = {
  ...container,
  volumeMounts: instance.volumeMounts,
  name: NAME,
  ports: [
    { name: 'http', containerPort: PORT },
    { name: 'metrics', containerPort: METRICS_PORT },
  ],
  // An idle instance takes some 115 MB; 4,000 event streams, which is WAITERS_MAX, some 110 MB
  // more. No limit for the processor: one that is held back answers its probes late.
  resources: {
    requests: { cpu: '250m', memory: '256Mi' },
    limits: { memory: '512Mi' },
  },
  startupProbe,
  livenessProbe,
  readinessProbe,
} satisfies IContainer;

export const deployment = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: NAME, labels: INSTANCE_LABELS },
  spec: {
    replicas: 2,
    revisionHistoryLimit: 3,
    selector: { matchLabels: INSTANCE_LABELS },
    // An old instance is stopped when its successor is ready, so there are never fewer than two.
    strategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 0, maxSurge: 1 } },
    template: {
      metadata: { labels: INSTANCE_LABELS },
      spec: {
        ...podSpec,
        volumes: instance.volumes,
        // There is no preStop: SIGTERM itself begins the drain.
        terminationGracePeriodSeconds: GRACE_SECONDS,
        topologySpreadConstraints: [
          {
            maxSkew: 1,
            topologyKey: NODE_NAME,
            // On a cluster with one node the second instance starts there as well.
            whenUnsatisfiable: 'ScheduleAnyway',
            labelSelector: { matchLabels: INSTANCE_LABELS },
          },
        ],
        containers: [serviceContainer],
      },
    },
  },
} satisfies IDeployment;
