/** The control API's requests and answers: snake_case, answers inside `data`. */
import {
  boolean,
  digits,
  integer,
  list,
  nothing,
  object,
  oneOf,
  openObject,
  optional,
  string,
  union,
  type Static,
} from '@miftah/schema';
import { LOCALES } from '../engine/locale.ts';
import { REJECTION_REASONS } from '../engine/outcomes/effects.ts';
import { PUSH_TARGETS, REDIRECT_TARGETS } from '../engine/outcomes/outcome-reach.ts';
import { PersonRow } from '../engine/people/people-file.ts';
import {
  DECISIONS,
  PROMPT_KINDS,
  type Prompt,
  type PromptState,
} from '../engine/prompts/prompts.ts';
import { isoTimestamp } from '../http/timestamp.ts';
import { RequestId } from '../http/wire.ts';
import type { ShownPrompt } from './all-prompts.ts';
import { ApplicationText } from './attempts/attempts-wire.ts';
import { PersonText } from './person-text.ts';
import { KEY_ROLES, type KeptKey } from '../keys/key-ring.ts';

const text = string();
const textOrNull = union(text, nothing());
const PROMPT_ID_MAX = 64;
const PERSON_ID_MAX = 40;
const NATIONAL_ID_MAX = 40;
const TYPED_NUMBER_MAX = 64;

export const PromptsQuery = object({
  request_id: optional(RequestId),
});

const PromptRow = openObject({
  id: text,
  kind: oneOf(PROMPT_KINDS),
  request_id: text,
  service: text,
  application: ApplicationText,
  place: textOrNull,
  locale: oneOf(LOCALES),
  national_id: textOrNull,
  random: textOrNull,
  person: { ...PersonText, description: 'Who has the number that a push is for.' },
  shown: boolean({
    description:
      'Whether somebody sees it: a push at once, a sign-in page from when a browser opens it. ' +
      'False too where the calls of applications are not recorded.',
  }),
  created_at: text,
  expires_at: text,
});

export const PromptsAnswer = openObject(
  { data: list(PromptRow) },
  { description: 'What waits for a person.' },
);

export const PromptParams = openObject({ id: string({ maxLength: PROMPT_ID_MAX }) });

const UNTIL = ['prompt', 'authenticated', 'rejected', 'expired', 'failed'] as const;

export const WaitQuery = object({
  until: oneOf(UNTIL),
  attempt_id: optional(RequestId),
  national_id: optional(string({ minLength: 1, maxLength: NATIONAL_ID_MAX })),
  kind: optional(oneOf(PROMPT_KINDS)),
  timeout: optional(
    digits(
      { minimum: 0, maximum: 30 },
      { pattern: '^([0-9]|[12][0-9]|30)$', description: 'In seconds; by default 10.' },
    ),
  ),
});

export const WaitAnswer = openObject(
  {
    data: openObject({
      reached: boolean(),
      /** Of the attempt, when its state was asked for. */
      status: textOrNull,
      prompt: union(PromptRow, nothing()),
    }),
  },
  { description: 'What was waited for, or that it did not come.' },
);

export const DecisionBody = object({
  decision: oneOf(DECISIONS),
  person: optional(string({ minLength: 1, maxLength: PERSON_ID_MAX })),
  number: optional(
    string({
      maxLength: TYPED_NUMBER_MAX,
      description: 'With `approve`: the number that the person picked or typed, in any digits.',
    }),
  ),
});

const DecisionRow = openObject({
  id: text,
  request_id: text,
  state: oneOf(['waiting', 'approved', 'rejected', 'expired']),
  reason: union(oneOf(REJECTION_REASONS), nothing()),
  person: textOrNull,
});

export const DecisionAnswer = openObject(
  { data: DecisionRow },
  { description: 'What has become of the prompt.' },
);

/** Of one answer. */
export const PEOPLE_PAGE_MAX = 1000;
const SEARCH_MAX = 250;

export const PeopleQuery = object({
  search: optional(
    string({
      maxLength: SEARCH_MAX,
      description:
        'Only those who have it in the id, the national id, a name or the note, however its letters ' +
        'and digits are written.',
    }),
  ),
  after: optional(
    string({ maxLength: PERSON_ID_MAX, description: 'Only those who come after this person.' }),
  ),
  limit: optional(
    digits(
      { minimum: 1, maximum: PEOPLE_PAGE_MAX },
      { pattern: '^([1-9][0-9]{0,2}|1000)$', description: 'How many at most; by default 1000.' },
    ),
  ),
});

export const PeopleAnswer = openObject(
  { data: list(PersonRow) },
  { description: 'People of the scope.' },
);

export const PersonAnswer = openObject(
  { data: PersonRow },
  { description: 'One person of the scope.' },
);

export const PersonParams = openObject({ id: string({ maxLength: PERSON_ID_MAX }) });

/** `{}`, or no body at all. */
export const NoBody = union(object({}), nothing());

export const ResetAnswer = openObject(
  {
    data: openObject({
      scope: text,
      prompts: integer({ description: 'How many waited, and are ignored from now on.' }),
    }),
  },
  { description: 'The scope that is as at the start again.' },
);

export const OutcomesAnswer = openObject(
  {
    data: list(
      openObject({
        national_id: text,
        key: text,
        title: openObject({ ar: text, en: text }),
        person: text,
        push: oneOf(PUSH_TARGETS),
        redirect: union(oneOf(REDIRECT_TARGETS), nothing()),
        after: boolean({ description: 'Whether it can be told after how many seconds to act.' }),
      }),
    ),
  },
  { description: 'The outcomes that can be chosen.' },
);

export const RotateBody = object({ old: optional(oneOf(['keep', 'drop'])) });

/** A body without members. */
export const EmptyBody = object({});

const KeyRow = openObject({ kid: text, role: oneOf(KEY_ROLES), until: textOrNull });

export const KeysAnswer = openObject(
  { data: list(KeyRow) },
  { description: 'The keys, and what each is for.' },
);

export function keyRow({ key, role, until }: KeptKey): Static<typeof KeyRow> {
  return { kid: key.kid, role, until: until === null ? null : isoTimestamp(until) };
}

export function promptRow(prompt: ShownPrompt): Static<typeof PromptRow> {
  const push = prompt.kind === 'push' ? prompt : null;
  return {
    id: prompt.id,
    kind: prompt.kind,
    request_id: prompt.requestId,
    service: prompt.service,
    application: prompt.application,
    place: prompt.place,
    locale: prompt.locale,
    national_id: push?.nationalId ?? null,
    random: push?.bindingCode ?? null,
    person: prompt.person,
    shown: prompt.shown,
    created_at: isoTimestamp(prompt.createdAt),
    expires_at: isoTimestamp(prompt.expiresAt),
  };
}

export function decisionRow(prompt: Prompt, state: PromptState): Static<typeof DecisionRow> {
  return {
    id: prompt.id,
    request_id: prompt.requestId,
    state: state.state,
    reason: state.state === 'rejected' ? state.reason : null,
    person: state.state === 'approved' ? state.person.id : null,
  };
}
