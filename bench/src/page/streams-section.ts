import type { Table } from '../figures/report.ts';
import type { LoginTimes, StreamMemory, StreamsMeasured } from '../measures/streams.ts';
import { markdownTable } from './markdown.ts';
import type { Section } from './write-page.ts';

export function streamsTable({ floor, service }: StreamsMeasured): Table {
  return {
    heading: ['', 'open streams', 'heap KB each', 'resident KB each'],
    rows: [rowOf('raw node:http', floor), rowOf('the service', service)],
  };
}

export function streamsSection(measured: StreamsMeasured, goals: Table): Section {
  const { wanted, service, ended, busy, load, loginsAlone, loginsBeside } = measured;
  const few =
    service.streams < wanted
      ? ` ${wanted} were wanted; the system allows one process fewer open files.`
      : '';
  const used = busy === null ? '' : ` The open streams alone used ${busy.toFixed(2)} processors.`;
  return {
    name: 'streams',
    text: [
      markdown(streamsTable(measured)),
      markdown(goals),
      `${service.streams} streams were open and ${ended} ended.${few}${used}`,
      `Requests of logins: ${timesOf(loginsAlone)} alone, ${timesOf(loginsBeside)} beside the ` +
        `streams. The load average of the machine was ${load.toFixed(1)}.`,
    ].join('\n\n'),
  };
}

function rowOf(name: string, { streams, heapKilobytes, residentKilobytes }: StreamMemory) {
  const resident = residentKilobytes?.toFixed(1) ?? '';
  return [name, String(streams), heapKilobytes.toFixed(1), resident];
}

function timesOf({ p50, p99, perSecond }: LoginTimes): string {
  return `p50 ${p50.toFixed(1)} ms and p99 ${p99.toFixed(0)} ms at ${perSecond.toFixed(0)} a second`;
}

function markdown({ heading, rows }: Table): string {
  return markdownTable(heading, rows);
}
