import type { Deployment } from '@parley/client/schemas'
import { RefreshCw } from 'lucide-react'
import { useState } from 'react'
import { useChange } from '../../api/queries.ts'
import { useHere } from '../../shell/organization.tsx'
import { Button } from '../../ui/button.tsx'
import { useConfirm } from '../../ui/confirm.tsx'
import { SecretOnce } from '../../ui/copy.tsx'
import { Section } from '../../ui/page.tsx'
import { Failure } from '../../ui/states.tsx'

/** The key with which programs prove who they are. */
export function KeyTab({ deployment }: { deployment: Deployment }) {
  const { may } = useHere()
  const confirm = useConfirm()
  const [key, setKey] = useState<string>()
  const renew = useChange('POST /api/agent_deploy/regenerate_key', {
    outdates: ['GET /api/agent_deploy/get', 'GET /api/agent_deploy/list'],
    onDone: ({ api_key }) => setKey(api_key),
  })
  const ask = async () => {
    const isSure = await confirm({
      title: 'Make a new key?',
      consequence:
        'The key that is used now stops working at once, and programs that use it are refused until they have the new one. Visitors of web pages notice nothing.',
      action: 'Make a new key',
    })
    if (isSure) renew.mutate({ query: { deployment_id: deployment.id } })
  }
  return (
    <Section
      title="Key"
      description="Programs send it with each request. It is stored hashed, so nobody can look it up."
      actions={
        may('agent:write') && (
          <Button icon={RefreshCw} busy={renew.isPending} onClick={() => void ask()}>
            New key
          </Button>
        )
      }
    >
      {key === undefined ? (
        <p className="text-sm">
          The key that is used now begins with <code className="font-mono">{deployment.api_key_prefix}</code>.
          If it is lost, make a new one.
        </p>
      ) : (
        <SecretOnce secret={key} />
      )}
      {renew.error && <Failure error={renew.error} />}
      {!may('agent:write') && (
        <p className="text-sm text-muted">Your role may not make a new key (agent:write).</p>
      )}
    </Section>
  )
}
