import { APPLICATION_BUGS } from './bugs/applications.ts';
import { KEPT_RESULT_BUGS } from './bugs/kept-results.ts';
import { NOTIFIER_BUGS } from './bugs/notifier.ts';
import { COMMAND_LINE_BUGS } from './bugs/command-line.ts';
import { BROWSER_BUGS } from './bugs/browser.ts';
import { CALLER_BUGS } from './bugs/callers.ts';
import { LOCAL_NETWORK_BUGS } from './bugs/local-network.ts';
import { SIMULATOR_BUGS } from './bugs/simulator.ts';
import { FAULT_BUGS } from './bugs/faults.ts';
import { KIT_BUGS } from './bugs/kit.ts';
import { SCENARIO_BUGS } from './bugs/scenario.ts';
import { ELEMENT_BUGS } from './bugs/element.ts';
import { PAGE_BUGS } from './bugs/pages.ts';
import { CLIENT_BUGS } from './bugs/client.ts';
import { MACHINE_BUGS } from './bugs/machine.ts';
import { CONNECTION_BUGS } from './bugs/connections.ts';
import { COORDINATION_BUGS } from './bugs/coordination.ts';
import { TOLD_LIMITS_BUGS } from './bugs/told-limits.ts';
import { OPENID_BUGS } from './bugs/openid.ts';
import { CIBA_BUGS } from './bugs/openid-ciba.ts';
import { OPENID_END_BUGS } from './bugs/openid-ends.ts';
import { BIRTHDATE_BUGS } from './bugs/openid-birthdate.ts';
import { SSO_BUGS } from './bugs/openid-sso.ts';
import { OUTBOUND_BUGS } from './bugs/outbound.ts';
import { OPERATOR_BUGS } from './bugs/operator.ts';
import { OPERATIONS_BUGS } from './bugs/operations.ts';
import { READ_AGAIN_BUGS } from './bugs/read-again.ts';
import { REQUEST_BUGS } from './bugs/requests.ts';
import { POSTGRES_BUGS } from './bugs/postgres.ts';
import { POSTGRES_CONNECTION_BUGS } from './bugs/postgres-connections.ts';
import { POSTGRES_GROUP_BUGS } from './bugs/postgres-groups.ts';
import { POSTGRES_COORDINATION_BUGS } from './bugs/postgres-coordination.ts';
import { STORE_BUGS } from './bugs/store.ts';
import { STRICT_BUGS } from './bugs/strict.ts';
import { TASK_BUGS } from './bugs/tasks.ts';
import { TOKEN_BUGS } from './bugs/tokens.ts';
import { TRANSITION_BUGS } from './bugs/transitions.ts';
import { WAITING_BUGS } from './bugs/waiting.ts';
import { WEBHOOK_BUGS } from './bugs/webhooks.ts';
import type { PlantedBug } from './support/planted-bug.ts';

export const PLANTED_BUGS: readonly PlantedBug[] = [
  ...TRANSITION_BUGS,
  ...TOKEN_BUGS,
  ...TASK_BUGS,
  ...APPLICATION_BUGS,
  ...KEPT_RESULT_BUGS,
  ...BROWSER_BUGS,
  ...OPENID_BUGS,
  ...CIBA_BUGS,
  ...OPENID_END_BUGS,
  ...BIRTHDATE_BUGS,
  ...SSO_BUGS,
  ...OUTBOUND_BUGS,
  ...COMMAND_LINE_BUGS,
  ...CALLER_BUGS,
  ...CONNECTION_BUGS,
  ...WAITING_BUGS,
  ...CLIENT_BUGS,
  ...COORDINATION_BUGS,
  ...TOLD_LIMITS_BUGS,
  ...REQUEST_BUGS,
  ...POSTGRES_BUGS,
  ...POSTGRES_CONNECTION_BUGS,
  ...POSTGRES_GROUP_BUGS,
  ...POSTGRES_COORDINATION_BUGS,
  ...NOTIFIER_BUGS,
  ...STORE_BUGS,
  ...STRICT_BUGS,
  ...PAGE_BUGS,
  ...ELEMENT_BUGS,
  ...LOCAL_NETWORK_BUGS,
  ...SIMULATOR_BUGS,
  ...FAULT_BUGS,
  ...KIT_BUGS,
  ...SCENARIO_BUGS,
  ...MACHINE_BUGS,
  ...OPERATOR_BUGS,
  ...OPERATIONS_BUGS,
  ...READ_AGAIN_BUGS,
  ...WEBHOOK_BUGS,
];
