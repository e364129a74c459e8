import type { LanguageModel } from '@parley/client/schemas'
import { Star, UserCheck } from 'lucide-react'
import { useChange } from '../../api/queries.ts'
import { translator } from '../../messages/index.ts'
import { useHere } from '../../shell/organization.tsx'
import { useDefaultModels } from '../../shell/own.ts'
import { Badge } from '../../ui/badge.tsx'
import { MenuItem } from '../../ui/menu.tsx'
import { useNotify } from '../../ui/toast.tsx'

const t = translator('models')

/** Returns whether a model can be a default. */
export const canBeDefault = ({ is_active, config }: LanguageModel): boolean =>
  is_active && (config.capabilities?.includes('text') ?? false)

/** Shows whose default a model is. */
export function DefaultBadges({ id }: LanguageModel) {
  const { data } = useDefaultModels()
  return (
    <>
      {data?.own_model_id === id && <Badge tone="accent">{t('default.own')}</Badge>}
      {data?.organization_model_id === id && <Badge tone="accent">{t('default.organization')}</Badge>}
    </>
  )
}

/**
 * Returns the menu items that make a model the default of the user or of the organization, or end that. The menu's
 * items are unmounted when it closes, so the changes belong to the component around it.
 */
export function useDefaultItems({ id, name }: LanguageModel) {
  const { organization, may } = useHere()
  const notify = useNotify()
  const { data } = useDefaultModels()
  const query = { org_id: organization.id }
  const outdates = ['GET /api/llm/defaults'] as const
  const own = useChange('PUT /api/llm/update_own_default', {
    outdates,
    onDone: ({ own_model_id }) =>
      notify(t(own_model_id === id ? 'default.nowOwn' : 'default.none', { name })),
  })
  const common = useChange('PUT /api/llm/update_default', {
    outdates,
    onDone: ({ organization_model_id }) =>
      notify(t(organization_model_id === id ? 'default.now' : 'default.none', { name })),
  })
  const isOwn = data?.own_model_id === id
  const isCommon = data?.organization_model_id === id
  const setOwn = () => own.mutate({ query, body: { own_model_id: isOwn ? null : id } }, { onError: notify })
  const setCommon = () =>
    common.mutate({ query, body: { organization_model_id: isCommon ? null : id } }, { onError: notify })
  return (
    <>
      <MenuItem icon={UserCheck} onSelect={setOwn}>
        {t(isOwn ? 'default.unsetOwn' : 'default.setOwn')}
      </MenuItem>
      {may('organization:write') && (
        <MenuItem icon={Star} onSelect={setCommon}>
          {t(isCommon ? 'default.unset' : 'default.set')}
        </MenuItem>
      )}
    </>
  )
}
