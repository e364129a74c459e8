/** Letters of the scripts that are written from right to left. */
const RIGHT_TO_LEFT =
  /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}\p{Script=Adlam}]/u

/**
 * Encloses names that are written from right to left in FSI and PDI, so that they do not reorder the sentence around them
 * (Unicode Standard Annex 9, 2.4.1). Other names stay as they are, so text can be searched and copied without marks.
 */
export const isolate = <Values>(values: Values): Values =>
  values &&
  (Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      name,
      typeof value === 'string' && RIGHT_TO_LEFT.test(value) ? `\u2068${value}\u2069` : value,
    ]),
  ) as Values)
