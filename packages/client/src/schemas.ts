/** The schemas of the API, by their names in openapi.json. */
export type * from './generated.ts'
