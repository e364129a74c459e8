DROP INDEX "webhook_deliveries_due";--> statement-breakpoint
ALTER TABLE "knowledge_bases" ADD COLUMN "is_ingesting" boolean DEFAULT false NOT NULL;--> statement-breakpoint
CREATE INDEX "webhook_deliveries_status" ON "webhook_deliveries" USING btree ("endpoint_id","status","sequence");--> statement-breakpoint
CREATE INDEX "webhook_deliveries_due" ON "webhook_deliveries" USING btree ("endpoint_id","next_attempt_at","sequence") WHERE "webhook_deliveries"."status" = 'pending';--> statement-breakpoint
-- Queues events (platform/events/outbox.ts): [{organization_id, event_type, data, place}]. It locks the endpoints, so
-- whoever calls it locks other rows before.
create function queue_webhook_deliveries(events jsonb) returns void language sql as $$
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
$$;
--> statement-breakpoint
create function is_ingesting_source(status text, documents_pending int) returns boolean language sql immutable
  return status in ('pending', 'reading') or documents_pending > 0;
--> statement-breakpoint
update knowledge_bases k set is_ingesting = true
where exists (select from kb_sources s where s.kb_id = k.id and is_ingesting_source(s.status, s.documents_pending));
--> statement-breakpoint
-- A new source is an ingestion, also one of which nothing can be read from the start.
create function begin_kb_ingestion() returns trigger language plpgsql as $$
begin
  update knowledge_bases set is_ingesting = true where id = new.kb_id and not is_ingesting;
  return null;
end $$;
--> statement-breakpoint
create trigger kb_sources_added after insert on kb_sources for each row execute function begin_kb_ingestion();
--> statement-breakpoint
-- Looks when a transaction commits whether a knowledge base has begun to be ingested or is done, under its row's lock:
-- of two transactions that end its last two sources, the second sees the first one's. So every ingestion ends once.
-- Who changes what is waited for (begins or ends to read a source, or to index its documents) locks the knowledge base
-- before (kb/lock-kb.ts).
create function settle_kb_ingestion() returns trigger language plpgsql as $$
declare
  kb knowledge_bases;
  is_busy boolean;
begin
  select * into kb from knowledge_bases where id = coalesce(new.kb_id, old.kb_id) for no key update;
  if not found then
    return null;
  end if;
  is_busy := exists (
    select from kb_sources s where s.kb_id = kb.id and is_ingesting_source(s.status, s.documents_pending));
  if is_busy <> kb.is_ingesting then
    update knowledge_bases set is_ingesting = is_busy where id = kb.id;
    if not is_busy then
      perform queue_webhook_deliveries(ingestion_event(kb));
    end if;
  end if;
  return null;
end $$;
--> statement-breakpoint
-- As kb/ingestion-state.ts describes a knowledge base that rests.
create function ingestion_event(kb knowledge_bases) returns jsonb language sql stable as $$
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
$$;
--> statement-breakpoint
create constraint trigger kb_sources_came_or_went after insert or delete on kb_sources
  deferrable initially deferred for each row execute function settle_kb_ingestion();
--> statement-breakpoint
create constraint trigger kb_sources_went_on after update on kb_sources
  deferrable initially deferred for each row
  when (is_ingesting_source(old.status, old.documents_pending)
    <> is_ingesting_source(new.status, new.documents_pending))
  execute function settle_kb_ingestion();
