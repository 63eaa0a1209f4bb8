import { createClient, MiftahError, type Miftah } from '@miftah/client';
import { DriveFailure, EXIT_UNREACHED, interrupted, unreached } from './failure.ts';
import type { Session } from './session.ts';

/** Works with the API of the service, as an application does. @throws DriveFailure */
export async function withClient(
  session: Session,
  work: (client: Miftah) => Promise<void>,
): Promise<void> {
  try {
    await work(clientOf(session));
  } catch (error) {
    throw error instanceof MiftahError ? failureOf(session, error) : error;
  }
}

function clientOf({ instance: { origin, scope, clientKey }, context }: Session) {
  const path = scope === null ? '/api/v1' : `/scopes/${scope}/api/v1`;
  return createClient({
    baseUrl: origin + path,
    fetch: context.fetch,
    ...(clientKey === null ? {} : { clientKey }),
  });
}

function failureOf({ instance, context }: Session, error: MiftahError): DriveFailure {
  const { code, detail, remedy, requestId, status } = error;
  const { origin } = instance;
  if (context.stop.aborted) return interrupted();
  if (code === 'client.network') {
    return status === 0 ? unreached(origin, error.cause) : answeredByAnother(origin, status);
  }
  return new DriveFailure({
    code,
    message: detail,
    remedy: Object.hasOwn(REMEDIES, code) ? REMEDIES[code] : remedy,
    facts: factsOf(error),
    requestId,
  });
}

/** The remedies of the catalogue name them by the members and headers of an answer. */
function factsOf({ retryAfter, problem }: MiftahError): string[] {
  const { reference, violations = [] } = problem ?? {};
  return [
    ...(retryAfter === undefined
      ? []
      : [`Retry-After: ${retryAfter} second${retryAfter === 1 ? '' : 's'}`]),
    ...(reference === undefined ? [] : [`reference: ${reference}`]),
    ...violations.map(({ pointer, code }) => `violation: ${pointer} (${code})`),
  ];
}

/** In place of those of the catalogue, which are for who reads the body of the answer. */
const REMEDIES: Readonly<Record<string, string | undefined>> = {
  'client.unauthenticated': 'Set MIFTAH_KEY to the key of a client of this instance.',
  // The facts name each member.
  'validation.failed': undefined,
};

/** The words of the client name its options, which whoever types a command does not know. */
function answeredByAnother(origin: string, status: number): DriveFailure {
  return new DriveFailure({
    code: 'client.network',
    message: `The answer of ${origin} (status ${status}) is not one of a service that signs people in.`,
    remedy:
      'Name the service with --url or MIFTAH_URL: a simulator by itself signs nobody in. If it is ' +
      'the right address, look at what is between, such as a proxy.',
    exitCode: EXIT_UNREACHED,
  });
}
