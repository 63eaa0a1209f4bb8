import type { Directory } from '../people/directory.ts';
import type { AnswerFault, AnswerFaultKind } from '../outcomes/effects.ts';
import type { RecordName } from '../error-records.ts';
import type { Ms } from '../ports.ts';
import { stateOf, type PromptState, type PushPrompt } from './prompts.ts';
import type { PushOptions, StatusQuery } from '../requests.ts';
import type {
  PushAccepted,
  PushResult,
  PushStatus,
  RecordRefusal,
  TransportFault,
} from '../results.ts';

type AnswerLoss = WithoutOk<Extract<TransportFault, { kind: 'malformed' | 'cut' | 'timeout' }>>;
type WithoutOk<Fault> = Fault extends unknown ? Omit<Fault, 'ok'> : never;

const STATUSES = {
  waiting: 'WAITING',
  approved: 'COMPLETED',
  rejected: 'REJECTED',
  expired: 'EXPIRED',
} as const satisfies Record<PromptState['state'], PushStatus>;

/** The provider's unsigned status of a push. It does not identify the person. */
export function statusOf(prompt: PushPrompt, now: Ms): PushStatus {
  return STATUSES[stateOf(prompt, now).state];
}

export function accepted(prompt: PushPrompt): PushAccepted {
  return {
    ok: true,
    promptId: prompt.id,
    transactionId: prompt.transactionId,
    bindingCode: prompt.bindingCode,
    expiresAt: prompt.expiresAt,
  };
}

export function matches(prompt: PushPrompt, query: StatusQuery): boolean {
  return prompt.nationalId === query.nationalId && prompt.bindingCode === query.bindingCode;
}

interface AskedPerson {
  readonly directory: Directory;
  /** The newest push to the person; null if there was none. */
  readonly newest: PushPrompt | null;
  readonly now: Ms;
}

/** Why a person can't be asked; null if they can. */
export function refusalOf(
  nationalId: string,
  { unlisted, oneActive }: Required<Pick<PushOptions, 'unlisted' | 'oneActive'>>,
  { directory, newest, now }: AskedPerson,
): RecordName | null {
  const isGone = directory.isFormer(nationalId);
  if (isGone || (unlisted === 'refuse' && directory.byNationalId(nationalId) === null)) {
    return 'recordNotFound';
  }
  const isActive = oneActive && newest !== null && stateOf(newest, now).state === 'waiting';
  return isActive ? 'activeTransaction' : null;
}

/** What a faulty answer needs. */
interface PushAttempt {
  /** Sends the prompt to the person, unless the request itself is refused. */
  readonly sendPrompt: () => PushAccepted | RecordRefusal;
  readonly refuse: (record: RecordName) => RecordRefusal;
}

/**
 * The result of a push request, by the fault of its answer. With the first three no prompt is sent.
 * With the others the push exists and the person is asked, and only the answer to the caller fails.
 */
const FAULTY_ANSWERS: {
  readonly [Kind in AnswerFaultKind]: (fault: AnswerFault<Kind>, push: PushAttempt) => PushResult;
} = {
  record: ({ record }, { refuse }) => refuse(record),
  gateway: (fault) => ({ ok: false, ...fault }),
  outage: (fault) => ({ ok: false, ...fault }),
  malformed: answerIncomplete,
  cut: answerIncomplete,
  timeout: ({ kind, afterMs }, { sendPrompt }) =>
    replaceAccepted(sendPrompt(), (late) => ({ kind, afterMs, late })),
};

export function faultyAnswer<Kind extends AnswerFaultKind>(
  fault: AnswerFault<Kind>,
  push: PushAttempt,
): PushResult {
  return FAULTY_ANSWERS[fault.kind](fault, push);
}

/** Both kinds have the same body; they differ in how it is sent. */
function answerIncomplete(
  { kind }: AnswerFault<'malformed' | 'cut'>,
  { sendPrompt }: PushAttempt,
): PushResult {
  return replaceAccepted(sendPrompt(), (answer) => ({ kind, body: incompleteBody(answer) }));
}

/** Replaces the answer to a successful push by a fault; a refusal is answered as it is. */
function replaceAccepted(
  result: PushAccepted | RecordRefusal,
  faultFor: (answer: PushAccepted) => AnswerLoss,
): PushResult {
  return result.ok ? { ok: false, ...faultFor(result) } : result;
}

/** The answer cut inside its last member, as by a proxy that has lost its server. */
function incompleteBody({ transactionId }: PushAccepted): string {
  return `{"transId":"${transactionId}","random":"`;
}
