import type { ControlOperation } from '@miftah/contract/control';
import {
  callControl,
  CONTROL_LIMIT_MS,
  ControlError,
  otherScheme,
  type ControlAccess,
  type ControlCall,
} from '@miftah/contract/control-client';
import { fromWire, inOurNames, toWire } from './wire.ts';

/** The control API of one instance. Everything that this package does is a call of it. */
export interface ControlApi {
  /**
   * @param call its body in the names of this package
   * @returns the `data` of the answer, in the same names
   * @throws Error with what was asked, and what the instance says about it
   */
  call(operation: ControlOperation, call?: Omit<ControlCall, 'signal'>): Promise<unknown>;
  /** Every later call is refused with a sentence that says so. */
  stop(): void;
}

export function controlApi(access: ControlAccess): ControlApi {
  const { origin } = access;
  let isStopped = false;
  return {
    async call(operation, { body, ...call } = {}) {
      if (isStopped) throw new Error(`This Miftah (${origin}) was stopped.`);
      const signal = AbortSignal.timeout(CONTROL_LIMIT_MS);
      try {
        const sent = { ...call, body: toWire(body), signal };
        return fromWire(await callControl(access, operation, sent));
      } catch (error) {
        if (!(error instanceof ControlError)) throw error;
        throw new Error(reasonOf(origin, error, operation), { cause: error });
      }
    },
    stop: () => void (isStopped = true),
  };
}

/** Where all that an operation takes is written, which would hide what is wrong. */
const READ: Readonly<Partial<Record<ControlOperation, string>>> = {
  setFaults: 'What a fault may have is in its type, FaultRule, and in docs/simulator.md#faults.',
};

const WITHOUT_SIMULATOR = {
  live: 'runs in live mode, and a live service has no simulator. Name an instance in simulator mode.',
  rehearsal:
    'is a rehearsal: a service that calls a simulator elsewhere. Name that simulator, or an instance in ' +
    'simulator mode.',
} as const;

/** The second where the host name is none of the service. */
const OF_NO_SIMULATOR: ReadonlySet<string | null> = new Set([
  'route.not_found',
  'request.misdirected',
]);

function reasonOf(origin: string, error: ControlError, operation: ControlOperation): string {
  const { status, asked, code, cause, headers } = error;
  const mode = headers.get('x-auth-mode');
  if (mode === 'live' || (mode === 'rehearsal' && OF_NO_SIMULATOR.has(code))) {
    return `${origin} ${WITHOUT_SIMULATOR[mode]}`;
  }
  if (status !== null) {
    const known = inOurNames(saidBy(error, READ[operation]));
    const said = operation === 'queueNext' ? hintFirst(known) : known;
    const reason = code === null ? `${origin} is no Miftah with a simulator` : `${code}: ${said}`;
    return `${asked} was refused: ${reason}`;
  }
  const { name } = cause instanceof Error ? cause : { name: '' };
  if (name === 'TimeoutError') return `${origin} has not answered in ${CONTROL_LIMIT_MS / 1000} s.`;
  if (name === 'RangeError') return `The answer of ${origin} has more than 32 MB.`;
  const other = otherScheme(origin, cause);
  const question = other === null ? '' : `Is it ${other}? `;
  return (
    `No Miftah answers at ${origin}. ${question}Start one there, as with \`npx miftah dev\`, or use ` +
    'startMiftah(), which runs one in this process.'
  );
}

/** What is wrong, and what the operation takes: with a place to read it, the place alone. */
function saidBy({ violations, message }: ControlError, read: string | undefined): string {
  if (read === undefined || violations.length === 0) return message;
  const faults = violations.map((one) =>
    one.pointer === '' ? one.message : `${one.pointer}: ${one.message}`,
  );
  return `${faults.join('; ')}. ${read}`;
}

/** What was probably meant stands after all 28 outcomes, where a test runner shows the first lines. */
function hintFirst(message: string): string {
  const [hint = '', meant = ''] = / \((did you mean "\w+"\?)\)/.exec(message) ?? [];
  return meant === '' ? message : `${meant} ${message.replace(hint, '')}`;
}
