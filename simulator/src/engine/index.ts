/** The provider as a library, without sockets, files or a clock of its own. */
export { BUILT_IN_PEOPLE } from './people/built-in-people.ts';
export { CLAIM_PROFILES, type ClaimProfileName } from './claims/claim-forms.ts';
export type { AnswerFault } from './outcomes/effects.ts';
export { Engine, type EngineParts } from './engine.ts';
export type { ErrorRecord } from './error-records.ts';
export { NO_FAULTS, OPERATIONS, type OpenidOperation, type Operation } from './outcomes/faults.ts';
export type { Locale, Texts } from './locale.ts';
export { isReserved, NEVER_LISTED_ID, outcomeId, type DocumentType } from './people/national-id.ts';
export type { RejectionReason, TokenFlaw } from './outcomes/effects.ts';
export { OUTCOMES, type Outcome } from './outcomes/outcomes.ts';
export { sessionFault } from './outcomes/outcome-of.ts';
export type { People } from './people/people.ts';
export { parsePeople, PeopleError } from './people/people-file.ts';
export type { Gender, Nationality, Person, PersonName } from './people/person.ts';
export type { Clock, Ms, Random, ReferenceBlocks } from './ports.ts';
export {
  DECISIONS,
  type Decision,
  type Prompt,
  actOnPage,
  type PageAct,
  type PromptEnd,
  type PromptKind,
  type PromptState,
  type PushPrompt,
  type RedirectPrompt,
} from './prompts/prompts.ts';
export { blocksInMemory } from './references.ts';
export type {
  DecisionChoice,
  DecisionRequest,
  PastDecision,
  PromptRequest,
  PushOptions,
  PushRequest,
  SessionRequest,
  StatusQuery,
} from './requests.ts';
export type {
  DecisionRefusal,
  DecisionResult,
  PushAccepted,
  PushResult,
  PushStatus,
  RecordRefusal,
  SessionAnswer,
  SessionResult,
  StatusResult,
  TransportFault,
} from './results.ts';
export type { SignInResult } from './outcomes/outcome-of.ts';
export {
  DEFAULT_SCOPE,
  readScenario,
  scenarioHeaders,
  SCOPE_HEADER,
  SCOPE_PATTERN,
  SIMULATE_HEADER,
  MOST_SECONDS,
  type Scenario,
  type ScenarioFault,
} from './scenario.ts';
export { ID_TOKEN_FLAWS, type IdTokenFlaw } from './scopes.ts';
export { markOf, signerToKeep, type PersonMark } from './people/directory.ts';
export { defaultSettings, type EngineSettings } from './settings.ts';
