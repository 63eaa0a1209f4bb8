import type { Statements } from '../sql/queries/index.ts';

/**
 * The statements that are run for many commands at once, and the column by which each row that they
 * return is recognised. Null: the statement returns nothing that a command reads.
 */
export const SETS = {
  insertAttempt: null,
  upsertUser: 'identity_digest',
  authenticateAttempt: 'attempt_id',
  eraseLaunchUrl: null,
  forgetPushes: null,
  insertRedeemedToken: 'attempt_id',
  markRedeemed: null,
  insertAudit: null,
} as const satisfies { readonly [Name in keyof Statements]?: string | null };

export type SetName = keyof typeof SETS;

/** A statement whose values are lists: the rows of all commands. */
export interface SetStatement {
  readonly name: string;
  readonly parameters: readonly string[];
  readonly sql: string;
}

export function isSetName(name: string): name is SetName {
  return name in SETS;
}
