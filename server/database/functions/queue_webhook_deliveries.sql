-- Queues events for the endpoints that subscribe to them. Locks endpoints in the order of their ids, and numbers each
-- endpoint's events without gaps.
CREATE OR REPLACE FUNCTION public.queue_webhook_deliveries(events jsonb)
 RETURNS void
 LANGUAGE sql
AS $function$
  with announced as (
    select * from jsonb_to_recordset(events)
      as e (organization_id uuid, event_type text, data jsonb, place int)),
  subscribed as (
    select id as endpoint_id, organization_id, event_types from webhook_endpoints
    where organization_id in (select organization_id from announced) and is_enabled
    order by id for no key update),
  numbered as (
    select subscribed.endpoint_id, announced.*,
      row_number() over (partition by subscribed.endpoint_id order by announced.place) as turn
    from subscribed join announced using (organization_id)
    where announced.event_type = any(subscribed.event_types)),
  advanced as (
    update webhook_endpoints set last_sequence = last_sequence + counted.events
    from (select endpoint_id, count(*) as events from numbered group by 1) as counted
    where webhook_endpoints.id = counted.endpoint_id
    returning webhook_endpoints.id as endpoint_id, last_sequence - counted.events as before,
      clock_timestamp() as due_at)
  insert into webhook_deliveries
    (id, organization_id, endpoint_id, sequence, event_type, data, next_attempt_at)
  select gen_random_uuid(), numbered.organization_id, endpoint_id, advanced.before + turn, event_type, data,
    due_at
  from numbered join advanced using (endpoint_id)
$function$;
