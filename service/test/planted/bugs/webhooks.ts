import type { PlantedBug } from '../support/planted-bug.ts';

const DELIVER = 'service/src/webhooks/deliver.flow.ts';
const STANDING = 'service/src/webhooks/standing.ts';
const DELIVER_TEST = 'service/src/webhooks/deliver.flow.test.ts';
const MEMORY = 'service/test/store/memory.test.ts';
const PROMISE = 'memory keeps the promises of the store port > outbox >';
const OPEN = 'service/src/webhooks/open-webhooks.ts';
const PATIENCE = 'service/src/store/sql/patience.ts';
const GROUP_COMMIT_TEST = 'service/test/store/group-commit.test.ts';
const API = 'service/test/api/webhooks.test.ts';

/** Bugs in what back ends are told. */
export const WEBHOOK_BUGS: readonly PlantedBug[] = [
  {
    name: 'a failure that did not happen is told',
    edits: [
      // What runs are the compiled statements.
      {
        file: 'service/src/store/sqlite/statements.generated.ts',
        from: 'rejected_at else failed_at end = ? and not',
        to: 'rejected_at else failed_at end is not ? and not',
      },
    ],
    test: {
      file: MEMORY,
      name: `${PROMISE} S-133: an attempt that is spoiled before it is authenticated has not ended`,
    },
  },
  {
    name: 'a late answer ends the try of somebody else',
    edits: [
      {
        file: 'service/src/store/sql/stores/outbox.ts',
        from: 'const values = { delivery_id: deliveryId, tries, answer };',
        to: 'const values = { delivery_id: deliveryId, tries: tries + 1, answer };',
      },
    ],
    test: {
      file: MEMORY,
      name: `${PROMISE} S-136: delivered is for good, and a failure counts for its own lease alone`,
    },
  },
  {
    name: 'a webhook that found no turn counts as tried',
    edits: [
      {
        file: DELIVER,
        from: 'await outbox.untried(delivery, at + SECOND_MS);',
        to: 'await outbox.failed({ delivery, answer, at, nextAt: at + SECOND_MS });',
      },
    ],
    test: {
      file: DELIVER_TEST,
      name: 'webhooks > that found no turn are not tries of the receiver',
    },
  },
  {
    name: 'a receiver that fails gets as many calls as before',
    edits: [
      { file: STANDING, from: 'const AT_ONCE_FAILING = 1;', to: 'const AT_ONCE_FAILING = 8;' },
    ],
    test: {
      file: DELIVER_TEST,
      name: 'webhooks > leave a receiver that fails alone, and ask it with one call at a time',
    },
  },
  {
    name: 'what is sent at once is sent by others too',
    edits: [
      {
        file: 'service/src/store/sql/receivers.ts',
        from: "offered.join(' '), this.#sender.leaseEnd())",
        to: "offered.join(' '), Math.min(0, this.#sender.leaseEnd()))",
      },
    ],
    test: {
      file: MEMORY,
      name: `${PROMISE} S-152: what is taken is leased, and whoever is offered it is told so after the command`,
    },
  },
  {
    name: 'each webhook needs a lease of its own',
    edits: [{ file: STANDING, from: 'this.#offered += 1;\n    return true;', to: 'return false;' }],
    test: {
      file: DELIVER_TEST,
      name: 'webhooks > are sent without a lease while no more are on their way than a receiver gets at a time',
    },
  },
  {
    name: 'a receiver gets more calls at a time than eight',
    edits: [
      { file: DELIVER, from: '!this.#isStopped && !standing.isFull', to: '!this.#isStopped' },
    ],
    test: {
      file: DELIVER_TEST,
      name: 'webhooks > that found no place, or whose receiver is no more, are given back',
    },
  },
  {
    name: 'what fails together is left alone as if it had failed one after the other',
    edits: [{ file: STANDING, from: 'if (this.#pauses.has(IT, now)) return;', to: '' }],
    test: {
      file: DELIVER_TEST,
      name: 'webhooks > that fail together are one failure of the receiver',
    },
  },
  {
    name: 'each lease of webhooks has a commit of its own, which starts wait for',
    edits: [
      {
        file: 'service/src/store/sql/stores/outbox.ts',
        from: 'isPatient: true,\n    decode: (results) => results.rows(lease)',
        to: 'decode: (results) => results.rows(lease)',
      },
    ],
    test: {
      file: 'service/test/store/sqlite-file.test.ts',
      name: 'what becomes of webhooks has no commit of its own while requests have some',
    },
  },
  {
    name: 'the look for expiries has a commit of its own each second, which starts wait for',
    edits: [
      {
        file: 'service/src/store/sql/stores/outbox.ts',
        from: 'isPatient: true,\n    decode: (results) => results.rows(note)',
        to: 'decode: (results) => results.rows(note)',
      },
    ],
    test: {
      file: 'service/test/store/sqlite-file.test.ts',
      name: 'what becomes of webhooks has no commit of its own while requests have some',
    },
  },
  {
    name: 'what piles up for receivers waits for changes that do not come',
    edits: [{ file: PATIENCE, from: 'this.#isOn = false;', to: 'this.#isOn = true;' }],
    test: {
      file: GROUP_COMMIT_TEST,
      name: 'patient units > are written alone when no other has come for a while, and from then on at once',
    },
  },
  {
    name: 'what becomes of webhooks holds up the next request',
    edits: [{ file: PATIENCE, from: 'waiting.every(', to: 'waiting.some(' }],
    test: {
      file: GROUP_COMMIT_TEST,
      name: 'patient units > have no commit of their own while others come, and go with them in their order',
    },
  },
  {
    name: 'a receiver that has answered 410 is asked again',
    edits: [
      {
        file: DELIVER,
        from: 'if (answer === GONE) await this.#switchOff(receiver, at);',
        to: 'if (answer === -GONE) await this.#switchOff(receiver, at);',
      },
    ],
    test: {
      file: DELIVER_TEST,
      name: 'webhooks > switch a receiver off that answers 410, tell so once, and send it nothing more',
    },
  },
  {
    name: 'a redirect counts as delivered',
    edits: [{ file: DELIVER, from: 'answer < 300) {', to: 'answer < 400) {' }],
    test: {
      file: 'service/test/threats/webhooks.test.ts',
      name: 'threats 56 and 140: an address of a receiver that leads inside > is not reached by a redirect, and the webhook is not delivered by one',
    },
  },
  {
    name: 'a failure of a receiver counts as delivered',
    edits: [{ file: DELIVER, from: 'answer < 300) {', to: 'answer < 600) {' }],
    test: {
      file: 'service/test/e2e/webhooks-kills.test.ts',
      name: 'one instance on a file tells each end that is committed, and no other, beside receivers that fail',
    },
  },
  {
    name: 'what is given up after a day without a try is in no number',
    edits: [
      {
        file: 'service/src/program/housekeeping.ts',
        from: 'if (count === 0) continue;',
        to: 'if (count >= 0) continue;',
      },
    ],
    test: {
      file: API,
      name: 'webhooks in simulator mode > that are given up after a day are told and counted, tried again or not',
    },
  },
  {
    name: 'a webhook that can not be written down lets the others go on by themselves',
    edits: [{ file: DELIVER, from: '  await Promise.allSettled(works);\n', to: '' }],
    test: {
      file: DELIVER_TEST,
      name: 'webhooks > that can not be written down hold up no others, and a stop waits for those',
    },
  },
  {
    name: 'a receiver that wants nothing after an outage gets one call at a time',
    edits: [
      {
        file: STANDING,
        from: "else if (outcomes.includes('refused')) this.#failures = 0;",
        to: '',
      },
    ],
    test: {
      file: DELIVER_TEST,
      name: 'webhooks > of a receiver that works again are sent eight at a time, wanted or not',
    },
  },
  {
    name: 'nobody asks what was decided on the phone',
    edits: [{ file: OPEN, from: '() => collect(clock.now())]', to: 'async () => void collect]' }],
    test: {
      file: API,
      name: 'webhooks in simulator mode > tell in strict mode that a result has never come, though nobody has read the status',
    },
  },
  {
    name: 'in simulator mode nobody looks what was decided on the phone',
    edits: [
      {
        file: 'service/src/program/housekeeping.ts',
        from: 'mode.collectDecided?.(clock.now(), clock.now())',
        to: 'undefined',
      },
    ],
    test: {
      file: 'service/test/api/decided-alone.test.ts',
      name: 'an attempt whose status nobody reads > is told as its person has decided, in the list and in its time line',
    },
  },
  {
    name: 'a clock that is moved past a decision and the expiry knows the expiry alone',
    edits: [
      {
        file: 'service/src/program/program.ts',
        from: ': collectDecided?.(step.from, step.to),',
        to: ': undefined,',
      },
    ],
    test: {
      file: 'service/test/api/decided-alone.test.ts',
      name: 'an attempt whose status nobody reads > is so at once where the time was moved, also past its expiry',
    },
  },
  {
    name: 'what is due to a receiver is looked up among all that wait',
    edits: [
      {
        file: 'service/src/store/postgres/statements.generated.ts',
        from: `where "receiver" = cast($1 as text) and "next_at"
<= cast($2 as bigint) order by "next_at" limit 1`,
        to: `where "receiver" || '' = cast($1 as text) and "next_at"
<= cast($2 as bigint) order by "next_at" limit 1`,
      },
    ],
    test: {
      file: 'service/test/store/postgres/plans.test.ts',
      name: 'what is due to a receiver is found by its own index, however much waits for others: selectDue',
    },
  },
  {
    name: 'who listens hears nothing of what a command changes',
    edits: [
      {
        file: 'service/src/operate/require-clients.ts',
        from: 'config.simulator === null ? clients : withListeners(clients, false)',
        to: 'config.simulator === null ? clients : withListeners([], false)',
      },
    ],
    test: {
      file: API,
      name: 'webhooks in simulator mode > come to whoever listens of what a command changes too',
    },
  },
  {
    name: 'an expiry is told of what was decided before the time was moved',
    edits: [
      {
        file: OPEN,
        from: 'if (!needs.isMoving()) await sweepExpired',
        to: 'await sweepExpired',
      },
    ],
    test: {
      file: 'service/test/api/decided-alone.test.ts',
      name: 'an attempt whose status nobody reads > has not expired for its application while the time is moved past its decision',
    },
  },
  {
    name: 'webhooks are signed with the first secret alone',
    edits: [
      {
        file: 'service/src/webhooks/sign.ts',
        from: 'const signatures = secrets.map(',
        to: 'const signatures = secrets.slice(0, 1).map(',
      },
    ],
    test: {
      file: API,
      name: 'webhooks in simulator mode > are signed with both secrets while one takes the place of the other',
    },
  },
  {
    name: 'a scope hears the webhooks of another',
    edits: [
      {
        file: 'service/src/webhooks/listen.flow.ts',
        from: 'return (this.#heard.get(scope) ?? [])',
        to: 'return [...this.#heard.values()].flat()',
      },
    ],
    test: {
      file: 'kit/test/webhooks.test.ts',
      name: 'webhooks.next > gives a scope its own, from its connection on, and nothing after a reset',
    },
  },
  {
    name: 'webhooks are forwarded to another machine',
    edits: [
      {
        file: 'service/src/commands/drive/listen.ts',
        from: 'if (!LOOPBACK.test(address.hostname)) {',
        to: 'if (address.host.length === 0) {',
      },
    ],
    test: {
      file: 'service/test/drive/listen.test.ts',
      name: 'miftah listen > forwards nothing to http://192.168.0.7/hook',
    },
  },
  {
    name: 'each row of failures of a receiver is told, however often they come',
    edits: [
      {
        file: STANDING,
        from: 'this.#isSound && isDue(this.#toldAt + TOLD_MS, TOLD_MS, now);',
        to: 'this.#isSound && isDue(0, TOLD_MS, now);',
      },
    ],
    test: {
      file: DELIVER_TEST,
      name: 'webhooks > that fail are told once for each row of failures, and at most each ten minutes',
    },
  },
  {
    name: 'of too many that wait any are given up',
    edits: [
      {
        file: 'service/src/store/sql/stores/outbox.ts',
        from: 'isOldestFirst ? sql.giveUpOldest : sql.giveUpReceiver',
        to: 'isOldestFirst ? sql.giveUpReceiver : sql.giveUpReceiver',
      },
    ],
    test: {
      file: MEMORY,
      name: `${PROMISE} S-146, S-147: what waits is counted and given up in pieces, the longest first`,
    },
  },
  {
    name: 'what is left of a receiver that is no more raises an alarm',
    edits: [
      {
        file: 'service/src/webhooks/tend.flow.ts',
        from: 'outbox.waiting(MOST_COUNTED, receivers)',
        to: 'outbox.waiting(MOST_COUNTED)',
      },
    ],
    test: {
      file: DELIVER_TEST,
      name: 'webhooks > that are left of a receiver that is no more are in no number',
    },
  },
];
