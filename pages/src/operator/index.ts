/** The pages for the operators of a service, without scripts; loaded where `OPERATOR_PORT` is set. */
export {
  operatorAttemptPage,
  operatorAttemptsPage,
  type OperatorAttemptPage,
  type ShownAttempt,
} from './attempts.ts';
export {
  AUDIT_FILTERS,
  operatorAuditPage,
  type AuditFilterName,
  type ShownAuditRow,
} from './audit.ts';
export { operatorFaultPage, operatorLinkPage, type OperatorFault } from './entry.ts';
export type { OperatorFrame, OperatorRole } from './frame.ts';
export { operatorPersonPage, type OperatorPersonPage, type ShownToken } from './person.ts';
export {
  ACTS,
  attemptPlace,
  OPERATOR,
  OPERATOR_ENTRY,
  OPERATOR_FORMS,
  OPERATOR_PLACES,
  personPlace,
  type Act,
} from './places.ts';
export { operatorSearchPage, type OperatorSearchPage } from './search.ts';
export {
  operatorClientsPage,
  operatorDoctorPage,
  type ShownClient,
  type ShownFinding,
} from './service.ts';
