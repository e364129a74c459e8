import type { Agent } from '@parley/client/schemas'
import { useChange } from '../../api/queries.ts'
import { translator } from '../../messages/index.ts'
import { Button } from '../../ui/button.tsx'
import { Failure } from '../../ui/states.tsx'
import { useNotify } from '../../ui/toast.tsx'

const t = translator('agents')

/**
 * Says that the author of another organization's tool changed it, and lets the user confirm the change. Confirms at once,
 * without the form's unsaved changes, and leaves the changes of other tools unconfirmed, and those since the agent was read.
 */
export function ChangedTool({ agent, tool }: { agent: Agent; tool: Agent['tools'][number] }) {
  const notify = useNotify()
  const update = useChange('PUT /api/agents/update', {
    outdates: ['GET /api/agents/get', 'GET /api/agents/list'],
    onDone: ({ tools }) => {
      const isConfirmed = tools.some((one) => one.tool_id === tool.tool_id && !one.needs_confirmation)
      if (isConfirmed) notify(t('tools.confirmed', { name: tool.name }))
    },
  })
  const confirm = () => {
    const tools = agent.tools.map(({ tool_id, config, needs_confirmation, revision }) => ({
      tool_id,
      config,
      revision,
      needs_confirmation: needs_confirmation && tool_id !== tool.tool_id,
    }))
    update.mutate({ query: { agent_id: agent.id }, body: { tools } })
  }
  return (
    <div
      role="group"
      aria-label={t('tools.changedTitle', { name: tool.name })}
      className="flex flex-col items-start gap-3 rounded-lg bg-warning-soft px-3 py-2 text-sm"
    >
      <p>{t('tools.changed')}</p>
      <Button size="small" busy={update.isPending} onClick={confirm}>
        {t('tools.confirm')}
      </Button>
      {update.error && <Failure error={update.error} />}
    </div>
  )
}
