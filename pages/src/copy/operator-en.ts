import type { Words } from './shape.ts';
import type { operatorAr } from './operator-ar.ts';

export type OperatorCopy = Words<typeof operatorAr>;

/** The English texts of the operators' pages. */
export const operatorEn: OperatorCopy = {
  title: 'Operator',
  places: {
    search: 'Search',
    attempts: 'Attempts',
    audit: 'Audit log',
    clients: 'Applications',
    doctor: 'Doctor',
  },
  nav: 'Pages for operators',
  role: 'Role',
  roles: { viewer: 'viewer', support: 'support', admin: 'admin' },
  signOut: 'Sign out',
  none: 'Nothing',
  next: 'Next',
  show: 'Show',
  search: 'Search',
  link: {
    title: 'Open the pages for operators',
    text: 'This link works once, and for five minutes after it was made.',
    button: 'Sign in',
  },
  faults: {
    no_session: {
      title: 'There is no session',
      text: 'No session has begun in this browser, or it has ended.',
    },
    link_spent: {
      title: 'This link does not sign in',
      text: 'It is wrong, was used already, or has expired.',
    },
    signed_out: {
      title: 'The session has ended',
      text: 'Only a new session opens these pages again.',
    },
    not_allowed: { title: 'Your role may not do this', text: 'This request needs another role.' },
    unknown: {
      title: 'There is nothing here',
      text: 'The service does not know this id or this address.',
    },
    wrong_form: {
      title: 'This request is refused',
      text: 'It does not come from a page of this session, or a value is missing. Go back, and begin on the page itself.',
    },
    wrong_host: {
      title: 'This host is not known',
      text: 'The request names a host that is not allowed. {url} has the one that is, and {hosts} has others.',
    },
    too_many: {
      title: 'Too many tries',
      text: 'Searches by number, and sign-ins without a role, are limited in each minute. Wait for a minute.',
    },
    busy: {
      title: 'Another page of this session is being read',
      text: 'A page that looks for rows holds up sign-ins, so a session reads one after the other. Try again when the other page is there.',
    },
    number_in_address: {
      title: 'A national id is not looked for here',
      text: 'It would stay in the address. Search by number on the search page, which sends it in a form.',
    },
    no_role: {
      title: 'You have no role here',
      text: 'The provider of the operators has signed you in, and the file of roles gives your account none. This is your subject at the provider, for whoever keeps that file: {subject}',
    },
    sign_in_failed: {
      title: 'The sign-in was not completed',
      text: 'This browser has brought no sign-in that began here, or the provider of the operators did not confirm it. The log of the service has the reason.',
    },
    broken: {
      title: 'The page could not be shown',
      text: 'The service could not do this now. Its log has the reason.',
    },
  },
  entries: {
    link: 'Make a new link on the machine of the service:',
    provider: 'Sign in',
  },
  find: {
    title: 'Search',
    attempt: 'Attempt id',
    user: 'User id',
    number: 'National id, all of it',
    numberHint: 'Each search by number is a row of the audit log. The number is in no address.',
    nobody: 'There is no user with this number.',
    wrongNumber: 'A national id has ten digits.',
    several: 'There are several users with this number.',
  },
  attempts: {
    title: 'Attempts',
    client: 'Application id',
    until: 'Before (UTC)',
    wrongTime: 'Write the time like this: {example}',
    attempt: 'Attempt',
    flow: 'Flow',
    state: 'State',
    started: 'Started',
    searched: 'Shown is what has started since {time}.',
  },
  attempt: {
    title: 'Attempt',
    expires: 'Expires',
    authenticated: 'Approved',
    redeemed: 'API token issued',
    ended: 'Ended',
    reason: 'Reason',
    calls: 'Calls to the provider',
    callsHint:
      'As {command} shows them. Secrets and identities were hidden when they were recorded.',
    audit: 'What is recorded about it',
    auditAll: 'Rows of the audit log about this attempt',
  },
  person: {
    title: 'User',
    name: 'Name',
    digits: 'National id',
    endsIn: 'ends in {digits}',
    first: 'First sign-in',
    latest: 'Latest sign-in',
    disabled: 'Disabled',
    no: 'no',
    tokens: 'API tokens',
    token: 'Id',
    device: 'Device',
    issued: 'Issued',
    expires: 'Expires',
    states: {
      active: 'active',
      stopped: 'stopped: the user is disabled',
      revoked: 'revoked',
      expired: 'expired',
    },
    newest: 'Only the newest: {shown} of {all}.',
  },
  acts: {
    title: 'What you can do',
    reason: 'Why',
    reasonHint:
      'It stays in the audit log for good: one line without a national id, an e-mail address or a secret.',
    reasonOptional: 'Why (may be left out)',
    wrongReason:
      'Nothing was done. Give a reason of one line, 200 characters at most, without a national id, an e-mail address or a secret.',
    disable: {
      title: 'Disable the user',
      text: 'Their API tokens stop at once, and they get no new ones.',
    },
    enable: {
      title: 'Enable the user again',
      text: 'Tokens that were not revoked and have not expired are good again.',
    },
    revoke: {
      title: 'Revoke the API tokens',
      text: 'All tokens of the user end, and their attempts under way fail.',
    },
    export: {
      title: 'Export the data',
      text: 'A JSON file with everything that is stored about the user, their name and national id too.',
    },
    done: {
      disable: 'The user is disabled.',
      enable: 'The user is enabled.',
      revoke: 'The tokens of the user, and their attempts under way, have ended.',
    },
  },
  audit: {
    title: 'Audit log',
    text: 'Newest first. {command} shows all of it, and with {verify} checks it.',
    action: 'Action',
    actionHint: '{one} or {all}',
    actor: 'Who did it',
    since: 'Since (a time or how long ago)',
    until: 'Before (a time or how long ago)',
    wrong: 'This value was not understood: {field}',
    row: 'Row',
    time: 'Time',
    about: 'About',
    searched: 'Rows {first} to {last} were read.',
  },
  clients: {
    title: 'Applications',
    text: 'As they stand in this instance of the service. Budgets are for the last minute.',
    id: 'Id',
    name: 'Name',
    type: 'Type',
    keys: 'Keys',
    pushes: 'Pushes',
    unknown: 'Unknown numbers left',
    of: '{used} of {quota}',
    all: 'The whole service',
  },
  doctor: {
    title: 'Doctor',
    text: 'Looks at settings, files and database, and asks the identity provider once. It changes nothing.',
    button: 'Look now',
    faults: 'Faults: {faults}, warnings: {warnings}.',
    severity: 'Severity',
    check: 'Check',
    what: 'Finding',
    severities: { ok: 'ok', warning: 'warning', fault: 'fault' },
    away: 'It can’t be started from here. Run {command} on the machine of the service.',
  },
};
