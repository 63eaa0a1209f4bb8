import type { ControlAnswers, ControlOperation } from '@miftah/contract/control';
import {
  callControl,
  CONTROL_LIMIT_MS,
  ControlError,
  type ControlCall,
} from '@miftah/contract/control-client';
import type { InstanceSettings } from '../../config/instance.ts';
import type { DriveContext } from './drive-context.ts';
import { DriveFailure, interrupted, unreached } from './failure.ts';
import { textOf } from './rows.ts';

/** The control API of one instance. */
export interface Control {
  /** @param limitMs when nobody waits for the answer any more @throws DriveFailure */
  call<Id extends ControlOperation>(
    operation: Id,
    call?: Omit<ControlCall, 'signal'> & { readonly limitMs?: number },
  ): Promise<ControlAnswers[Id]>;
}

/** From here on Ctrl-C ends the command, and not the process. */
export function controlOf(
  { origin, scope, simulatorToken: token }: InstanceSettings,
  { fetch, stop }: Pick<DriveContext, 'fetch' | 'stop'>,
): Control {
  return {
    async call(operation, { limitMs = CONTROL_LIMIT_MS, ...call } = {}) {
      const signal = AbortSignal.any([stop, AbortSignal.timeout(limitMs)]);
      try {
        return await callControl({ origin, scope, token, fetch }, operation, { ...call, signal });
      } catch (error) {
        if (!(error instanceof ControlError)) throw error;
        if (error.status !== null) throw failureOf(origin, error);
        throw stop.aborted ? interrupted() : unreached(origin, error.cause);
      }
    },
  };
}

/** What this program can do about a refusal of the control API. */
const REMEDIES: Readonly<Record<string, string>> = {
  'simulator.token_required':
    'Set SIMULATOR_TOKEN to the token that the instance was started with. One that was started ' +
    'without it lets browsers in alone.',
  'attempt.not_found': 'Name an attempt by its id: `miftah attempts` lists those of this scope.',
  'person.not_found': '`miftah people` lists them.',
  'prompt.not_found': '`miftah prompts` lists what waits in this scope.',
  'attempts.elsewhere': 'Name the service that calls this simulator, with --url or MIFTAH_URL.',
};

function failureOf(origin: string, refusal: ControlError): DriveFailure {
  const { headers, problem, code } = refusal;
  const mode = headers.get('x-auth-mode');
  if (mode === 'live') {
    return withoutSimulator(
      'Name an instance in simulator mode with --url or MIFTAH_URL. `miftah login` works here.',
    );
  }
  if (mode === 'rehearsal' && (code === 'route.not_found' || code === 'request.misdirected')) {
    return withoutSimulator('Name that simulator with --url or MIFTAH_URL.', REHEARSAL);
  }
  if (code === null) return unreached(origin, null, 'what answers there is another program');
  return new DriveFailure({
    code,
    message: textOf(problem, 'message'),
    remedy: REMEDIES[code] ?? textOf(problem, 'remedy'),
    requestId: textOf(problem, 'request_id') || (headers.get('x-request-id') ?? undefined),
  });
}

const REHEARSAL = 'This service is a rehearsal of live mode, which calls a simulator elsewhere.';

export function withoutSimulator(
  remedy: string,
  message = 'This service runs in live mode, and a live service has no simulator to drive.',
): DriveFailure {
  return new DriveFailure({ code: 'command.no_simulator', message, remedy });
}
