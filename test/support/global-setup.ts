import process from 'node:process';

/** Runs once before all tests; the place for what every worker needs. */
export default function setUp(): void {
  // Node reads sources by stripping their types, and so do the programs that some tests start.
  if (process.features.typescript !== false) return;
  throw new Error(`Node ${process.version} does not run TypeScript; start the tests by: npm test`);
}
