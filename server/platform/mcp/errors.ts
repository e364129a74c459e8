import { defineErrors } from '#errors/define.ts'

export const MCP_PROTOCOL_ERRORS = defineErrors({
  'mcp.sender_refused': [
    403,
    'This {name} may not ask here: it is neither of this server nor of what the operator names in FRONTEND_URL and CORS_ORIGINS',
  ],
})
