import type { Migration } from '../../sql/migration.ts';

/** For the last row of each task of the operator: queries/store-marks.ts. */
export const taskRows: Migration = {
  name: '0019+task-rows',
  statements: [
    `
CREATE INDEX audit_log_of_tasks ON audit_log (action, sequence)
WHERE action IN ('store.backed_up', 'audit.verified', 'service.examined')`,
  ],
};
