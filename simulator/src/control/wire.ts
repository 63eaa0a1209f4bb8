/** The control API on the wire: snake_case, answers below `data`. */
import { Type, type Static } from 'typebox';
import { LOCALES } from '../engine/locale.ts';
import { REJECTION_REASONS } from '../engine/effects.ts';
import { PersonRow } from '../engine/people.ts';
import { DECISIONS, PROMPT_KINDS, type Prompt, type PromptState } from '../engine/prompts.ts';
import { isoTimestamp } from '../http/timestamp.ts';
import { KEY_ROLES, type KeptKey } from '../keys/key-ring.ts';

const exact = { additionalProperties: false } as const;
const text = Type.String();
const textOrNull = Type.Union([text, Type.Null()]);
const REQUEST_ID_MAX = 64;
const PERSON_ID_MAX = 40;

export const PromptsQuery = Type.Object(
  { request_id: Type.Optional(Type.String({ minLength: 1, maxLength: REQUEST_ID_MAX })) },
  exact,
);

const PromptRow = Type.Object({
  id: text,
  kind: Type.Enum([...PROMPT_KINDS]),
  request_id: text,
  service: text,
  locale: Type.Enum([...LOCALES]),
  national_id: textOrNull,
  random: textOrNull,
  created_at: text,
  expires_at: text,
});

export const PromptsAnswer = Type.Object({ data: Type.Array(PromptRow) });

export const PromptParams = Type.Object({ id: Type.String({ maxLength: REQUEST_ID_MAX }) });

export const DecisionBody = Type.Object(
  {
    decision: Type.Enum([...DECISIONS]),
    person: Type.Optional(Type.String({ minLength: 1, maxLength: PERSON_ID_MAX })),
  },
  exact,
);

const DecisionRow = Type.Object({
  id: text,
  request_id: text,
  state: Type.Enum(['waiting', 'approved', 'rejected', 'expired']),
  reason: Type.Union([Type.Enum([...REJECTION_REASONS]), Type.Null()]),
  person: textOrNull,
});

export const DecisionAnswer = Type.Object({ data: DecisionRow });

export const PeopleAnswer = Type.Object({ data: Type.Array(PersonRow) });

export const OutcomesAnswer = Type.Object({
  data: Type.Array(
    Type.Object({
      national_id: text,
      key: text,
      title: Type.Object({ ar: text, en: text }),
      person: text,
    }),
  ),
});

export const RotateBody = Type.Object({ old: Type.Optional(Type.Enum(['keep', 'drop'])) }, exact);

/** Takes no members. */
export const EmptyBody = Type.Object({}, exact);

const KeyRow = Type.Object({ kid: text, role: Type.Enum([...KEY_ROLES]), until: textOrNull });

export const KeysAnswer = Type.Object({ data: Type.Array(KeyRow) });

export function keyRow({ key, role, until }: KeptKey): Static<typeof KeyRow> {
  return { kid: key.kid, role, until: until === null ? null : isoTimestamp(until) };
}

export function promptRow(prompt: Prompt): Static<typeof PromptRow> {
  const push = prompt.kind === 'push' ? prompt : null;
  return {
    id: prompt.id,
    kind: prompt.kind,
    request_id: prompt.requestId,
    service: prompt.service,
    locale: prompt.locale,
    national_id: push?.nationalId ?? null,
    random: push?.bindingCode ?? null,
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
