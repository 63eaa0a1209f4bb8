import type { Services } from '../services.flow.ts';

/**
 * Does what is left to do after a start has been refused. If that fails too, the failure is logged
 * and not thrown, so that the caller gets the first error.
 */
export async function afterRefusal(
  { logFailure }: Pick<Services, 'logFailure'>,
  work: () => Promise<void>,
): Promise<void> {
  try {
    await work();
  } catch (error) {
    logFailure(error, 'what follows a refused start could not be stored');
  }
}
