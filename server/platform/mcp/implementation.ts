/** What this is, as it tells the other side. */
export const IMPLEMENTATION = { name: 'Parley', version: '1.0.0' }
