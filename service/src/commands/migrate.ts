import type { AddCommand } from './command-context.ts';

/** `miftah migrate`. */
export const migrateCommand: AddCommand = (program, context) => {
  program
    .command('migrate')
    .description('brings the schema of the database in DATABASE_URL up to date')
    .action(async () => {
      await context.migrate();
      context.print('The schema of the database is that of this version.');
    });
};
