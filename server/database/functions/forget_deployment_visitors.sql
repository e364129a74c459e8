-- Deletes the placeholder user of a deleted deployment, after locking the user's chats and then the organization: a
-- statement that stores a response of the user locks the organization before the user.
CREATE OR REPLACE FUNCTION public.forget_deployment_visitors()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform from chats where organization_id = old.organization_id and user_id = old.visitor_user_id
    order by id for update;
  perform from organizations where id = old.organization_id for no key update;
  delete from users where id = old.visitor_user_id;
  return null;
end $function$;

CREATE TRIGGER agent_deployments_visitors AFTER DELETE ON agent_deployments FOR EACH ROW EXECUTE FUNCTION forget_deployment_visitors();
