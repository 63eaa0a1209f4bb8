import type { IJob } from 'kubernetes-models/batch/v1/Job';
import { MIGRATION, MIGRATION_LABELS } from './names.ts';
import { container, migrator, podSpec } from './pod.ts';

const HOUR_SECONDS = 3600;

/**
 * Brings the schema up to date before instances of a new version start. A start would do it as well,
 * but then the service's role needs the right to make tables, and its first start takes longer.
 */
export const migration = {
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: { name: MIGRATION, labels: MIGRATION_LABELS },
  spec: {
    // A migration that was ended in the middle left nothing behind, so it may be tried again.
    backoffLimit: 3,
    activeDeadlineSeconds: HOUR_SECONDS,
    ttlSecondsAfterFinished: HOUR_SECONDS,
    template: {
      metadata: { labels: MIGRATION_LABELS },
      spec: {
        ...podSpec,
        volumes: migrator.volumes,
        restartPolicy: 'Never',
        containers: [
          {
            ...container,
            volumeMounts: migrator.volumeMounts,
            name: MIGRATION,
            args: ['migrate'],
            resources: {
              requests: { cpu: '100m', memory: '128Mi' },
              limits: { memory: '256Mi' },
            },
          },
        ],
      },
    },
  },
} satisfies IJob;
