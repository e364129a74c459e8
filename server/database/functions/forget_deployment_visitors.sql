-- Deletes the placeholder user of a deleted deployment, after locking the user's chats.
CREATE OR REPLACE FUNCTION public.forget_deployment_visitors()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform from chats where organization_id = old.organization_id and user_id = old.visitor_user_id
    order by id for update;
  delete from users where id = old.visitor_user_id;
  return null;
end $function$;

CREATE TRIGGER agent_deployments_visitors AFTER DELETE ON agent_deployments FOR EACH ROW EXECUTE FUNCTION forget_deployment_visitors();
