// TypeScript 7, which checks types here, has no stable interface for programs yet: this is the one that the generator of
// @parley/client's types brings.
export { default } from '../../packages/client/node_modules/typescript/lib/typescript.js'
