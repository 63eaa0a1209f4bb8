import type { People } from './engine/people/people.ts';
import type { Service } from './engine/services.ts';
import { PROFILES } from './profiles.ts';
import type { Settings } from './settings.ts';

const EXAMPLE_REQUEST = '0199a1b2-c3d4-7e5f-8a6b-7c8d9e0f1a2b';

/** What somebody who has just started the simulator needs to try it. */
export function banner(settings: Settings, people: People): string {
  const { publicUrl, providerPrefixes, relyingParty } = settings;
  const [provider = publicUrl, ...others] = providerPrefixes.map((prefix) => publicUrl + prefix);
  const { nationalId } = people.fallback;
  const [first = ''] = settings.services.keys();
  const service = first.replace('*', '') || 'Login';
  const access = settings.token === null ? '' : ' -H "Authorization: Bearer $SIMULATOR_TOKEN"';
  const key = settings.credentials === null ? '' : ' -H "APP-ID: $APP_ID" -H "APP-KEY: $APP_KEY"';
  return `
Miftah provider simulator. Everybody here is invented, and nothing is sent to anybody else.

  Provider's API      ${[provider, ...others].join('  ')}
  Console             ${publicUrl}/console
  Phone               ${publicUrl}/simulator/phone
  Control API         ${publicUrl}/simulator
  Health              ${publicUrl}/livez  ${publicUrl}/readyz
  Browsers return to  ${relyingParty.returnUrl}
  Results go to       ${relyingParty.pushUrl}
  Profile             ${settings.profile}: ${PROFILES[settings.profile].what.replaceAll('`', '')}
  Services            ${settings.services.entries().map(serviceWords).toArray().join(', ')}
  Accepted push       ${settings.pushStatus}

People (the first is the default; ${publicUrl}/simulator/people has them all)
${peopleLines(people)}
  19000000NN   reserved identities that act by themselves: ${publicUrl}/simulator/outcomes

Ask somebody on the phone:${needed(settings)}
  curl${key} -H 'Content-Type: application/json' -d '{"nationalId":"${nationalId}","service":"${service}"}' \\
    '${provider}/api/v1/mfa/request?local=en&requestId=${EXAMPLE_REQUEST}'
See what waits, then approve it:
  curl${access} '${publicUrl}/simulator/prompts?request_id=${EXAMPLE_REQUEST}'
  curl${access} -H 'Content-Type: application/json' -d '{"decision":"approve"}' \\
    ${publicUrl}/simulator/prompts/PROMPT_ID/decision
`;
}

/** What the lines below take from the shell that they are pasted into. */
function needed({ credentials, token }: Settings): string {
  const names = [
    ...(credentials === null ? [] : ['APP_ID', 'APP_KEY']),
    ...(token === null ? [] : ['SIMULATOR_TOKEN']),
  ];
  if (names.length === 0) return '';
  return ` (give your shell ${names.join(', ')} of this simulator first, or of the files that NAME_FILE names)`;
}

function serviceWords([name, { thin }]: readonly [string, Service]): string {
  return thin ? `${name} (thin tokens)` : name;
}

/** A terminal has few lines. */
const MOST_SHOWN = 12;

function peopleLines(people: People): string {
  const shown = people.find({ search: '', after: null, limit: MOST_SHOWN }) ?? [];
  const others = people.count - shown.length;
  const more = others === 0 ? [] : [`  and ${others} others`];
  return [...shown.map(personLine), ...more].join('\n');
}

function personLine({ nationalId, englishName, about }: People['fallback']): string {
  return `  ${nationalId}   ${englishName.full} (${about})`;
}
