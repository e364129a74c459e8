import type { LanguageModel, ModelConnection } from '@parley/client/schemas'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../../api/client.ts'
import { outdate } from '../../api/queries.ts'
import { translator } from '../../messages/index.ts'
import { useHere } from '../../shell/organization.tsx'
import { useDefaultModels } from '../../shell/own.ts'
import { canChat, type Offered } from './suggest-model.ts'

const t = translator('models')

/**
 * Adds models of a connection. Tests the first text model before it adds the others, and makes it the organization's
 * default if there is none. `progress` says in words what is in progress.
 */
export function useAddModels(connection: ModelConnection, onDone: (models: LanguageModel[]) => void) {
  const { organization } = useHere()
  const client = useQueryClient()
  const defaults = useDefaultModels()
  const [progress, setProgress] = useState('')
  const query = { org_id: organization.id }

  const add = ({ version, context_window }: Offered): Promise<LanguageModel> => {
    setProgress(t('connect.adding', { name: version }))
    const { id: connection_id, provider } = connection
    const config = { connection_id, ...(context_window !== null && { context_window }) }
    return api.request('POST /api/llm/add', { query, body: { name: version, provider, version, config } })
  }
  const addTested = async (offered: Offered): Promise<LanguageModel> => {
    const model = await add(offered)
    setProgress(t('connect.testing', { name: model.name }))
    const one = { query: { model_id: model.id } }
    const { successful, message } = await api.request('POST /api/llm/test', one)
    if (successful) return model
    await api.request('DELETE /api/llm/delete', one)
    throw new Error(t('connect.testFailed', { name: model.name, message }))
  }

  const addition = useMutation({
    mutationFn: async (chosen: readonly Offered[]) => {
      const first = chosen.find(canChat)
      const tested = first && (await addTested(first))
      const models = tested ? [tested] : []
      for (const offered of chosen) if (offered !== first) models.push(await add(offered))
      if (tested && !defaults.data?.organization_model_id)
        await api.request('PUT /api/llm/update_default', {
          query,
          body: { organization_model_id: tested.id },
        })
      return models
    },
    onSettled: () => outdate(client, 'GET /api/llm/list', 'GET /api/llm/defaults'),
    onSuccess: onDone,
  })
  return { addition, progress }
}
