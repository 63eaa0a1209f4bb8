import process from 'node:process';
import { makePrimes } from './rsa-keys.ts';

/** Runs once before all tests, and checks what every worker needs. */
export default async function setUp(): Promise<void> {
  // Node runs sources by stripping their types; programs that some tests start depend on it.
  if (process.features.typescript === false) {
    throw new Error(
      `Node ${process.version} does not run TypeScript; start the tests by: npm test`,
    );
  }
  await makePrimes();
}
