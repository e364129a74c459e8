import { useChange } from '../../api/queries.ts'
import { translator } from '../../messages/index.ts'
import { useHere } from '../../shell/organization.tsx'
import { useConfirm } from '../../ui/confirm.tsx'
import { useNotify } from '../../ui/toast.tsx'

const t = translator('people')

/** Returns a function that transfers the organization's ownership after a confirmation. */
export function useTransfer(): (to: { id: string; name: string }) => Promise<void> {
  const { organization } = useHere()
  const confirm = useConfirm()
  const notify = useNotify()
  const transfer = useChange('POST /api/org/transfer_ownership', {
    outdates: ['GET /api/org/list', 'GET /api/users/list', 'GET /api/users/me', 'GET /api/roles/list_roles'],
  })
  return async ({ id, name }) => {
    const isSure = await confirm({
      title: t('transfer.title', { name }),
      consequence: t('transfer.consequence', { name, organization: organization.name }),
      action: t('transfer.action'),
      typed: organization.name,
    })
    if (!isSure) return
    // Uses mutateAsync, because mutate skips its callbacks after the component unmounts.
    await transfer
      .mutateAsync({ query: { org_id: organization.id }, body: { user_id: id } })
      .then(() => notify(t('transfer.done', { name })), notify)
  }
}
