/** Whether the calendar has a day such as 2026-01-31: JavaScript takes 30 February for 2 March. */
export function isCalendarDay(date: string): boolean {
  const day = new Date(`${date}T00:00:00Z`);
  return !Number.isNaN(day.getTime()) && day.toISOString().startsWith(date);
}
