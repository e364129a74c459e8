// TypeScript 7, which checks the types here, has no stable compiler API yet. This is the version that @parley/client's
// generator depends on.
export { default } from '../../packages/client/node_modules/typescript/lib/typescript.js'
