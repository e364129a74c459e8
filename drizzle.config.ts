/** Configuration of drizzle-kit (`npm run migration`). */
export default {
  dialect: 'postgresql',
  schema: './server/database/schema/index.ts',
  out: './server/database/migrations',
}
