/** In the order in which they run. A name never changes: it is stored in every database. */
export const MIGRATION_NAMES = ['0001-attempts-users-tokens'] as const;
