-- Returns the webhook event of a finished ingestion, as input of queue_webhook_deliveries.
CREATE OR REPLACE FUNCTION public.ingestion_event(kb knowledge_bases)
 RETURNS jsonb
 LANGUAGE sql
 STABLE
AS $function$
  with source as (
    select *, case when status = 'failed' or documents_ready = 0 and documents_failed > 0 then 'failed'
      else 'ready' end as state
    from kb_sources where kb_id = kb.id),
  counted as (
    select coalesce(sum(documents_ready), 0) as ready, coalesce(sum(documents_failed), 0) as failed,
      coalesce(bool_or(state = 'failed'), false) and coalesce(sum(documents_ready), 0) = 0 as has_failed,
      coalesce(jsonb_agg(
        jsonb_build_object('id', id, 'type', type, 'status', state, 'error', error) order by id), '[]') as sources
    from source)
  select jsonb_build_array(jsonb_build_object(
    'organization_id', kb.organization_id,
    'event_type', 'knowledge_base.ingestion_' || case when has_failed then 'failed' else 'completed' end,
    'place', 0,
    'data', jsonb_build_object(
      'knowledge_base_id', kb.id, 'name', kb.name, 'status', case when has_failed then 'failed' else 'ready' end,
      'documents', jsonb_build_object('total', ready + failed, 'ready', ready, 'failed', failed),
      'sources', sources)))
  from counted
$function$;
