/** The letters of scripts written from right to left. */
const RIGHT_TO_LEFT =
  /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}\p{Script=Adlam}]/u

/**
 * Encloses each right-to-left value in FSI and PDI, so that the value doesn't reorder the sentence around it (Unicode
 * Standard Annex 9, 2.4.1). Other values stay unchanged, so that copied text contains no invisible characters.
 */
export const isolate = <Values>(values: Values): Values =>
  values &&
  (Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      name,
      typeof value === 'string' && RIGHT_TO_LEFT.test(value) ? `\u2068${value}\u2069` : value,
    ]),
  ) as Values)
